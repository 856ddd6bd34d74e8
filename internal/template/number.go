package template

import (
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// decimal is a number with all the digits that it was written with, in the form
// 0.digits × 10^point. Two numbers of the same value are the same decimal.
type decimal struct {
	negative bool   // never of zero
	digits   string // without zeros at either end; "" is zero
	point    int64  // 0 of zero
}

const (
	// maxExactDigits bounds exact arithmetic; beyond it is double precision.
	maxExactDigits = 1000
	// maxZeros is how many zeros a result is written with before it gets an
	// exponent.
	maxZeros = 20
)

// maxPoint bounds a decimal's point, so that sums of several do not overflow.
// Numbers beyond it compare as if they had it.
const maxPoint = 1 << 60

// number returns a value as a number, if it is one.
func number(value any) (decimal, bool) {
	switch v := value.(type) {
	case json.Number:
		return parseDecimal(v.String())
	case float64:
		return parseDecimal(strconv.FormatFloat(v, 'g', -1, 64)) // not of NaN and infinity
	case int:
		return parseDecimal(strconv.Itoa(v))
	case int64:
		return parseDecimal(strconv.FormatInt(v, 10))
	}
	return decimal{}, false
}

// parseDecimal reads a number in JSON's notation, or one with a leading +, with
// leading zeros, or without digits on one side of the point.
func parseDecimal(text string) (d decimal, ok bool) {
	if text != "" && (text[0] == '+' || text[0] == '-') {
		d.negative = text[0] == '-'
		text = text[1:]
	}
	if at := strings.IndexAny(text, "eE"); at >= 0 {
		if d.point, ok = parseExponent(text[at+1:]); !ok {
			return decimal{}, false
		}
		text = text[:at]
	}
	whole, fraction, _ := strings.Cut(text, ".")
	if whole+fraction == "" || !onlyDigits(whole) || !onlyDigits(fraction) {
		return decimal{}, false
	}
	d.point += int64(len(whole))
	significant := strings.TrimLeft(whole+fraction, "0")
	d.point -= int64(len(whole) + len(fraction) - len(significant))
	if d.digits = strings.TrimRight(significant, "0"); d.digits == "" {
		return decimal{}, true
	}
	d.point = max(-maxPoint, min(d.point, maxPoint))
	return d, true
}

func parseExponent(text string) (exponent int64, ok bool) {
	negative := strings.HasPrefix(text, "-")
	if negative || strings.HasPrefix(text, "+") {
		text = text[1:]
	}
	if text == "" || !onlyDigits(text) {
		return 0, false
	}
	exponent, err := strconv.ParseInt(text, 10, 64)
	if err != nil || exponent > 2*maxPoint {
		exponent = 2 * maxPoint
	}
	if negative {
		exponent = -exponent
	}
	return exponent, true
}

func onlyDigits(text string) bool { return strings.Trim(text, "0123456789") == "" }

// compare returns -1, 0 or 1.
func (d decimal) compare(other decimal) int {
	a, b := d.sign(), other.sign()
	switch {
	case a != b && a < b:
		return -1
	case a != b:
		return 1
	case d.point != other.point && (d.point < other.point) == (a > 0):
		return -1
	case d.point != other.point:
		return 1
	}
	return a * strings.Compare(d.digits, other.digits)
}

func (d decimal) sign() int {
	switch {
	case d.digits == "":
		return 0
	case d.negative:
		return -1
	}
	return 1
}

// value returns the number as conditions pass it on: as JSON writes it.
func (d decimal) value() json.Number {
	sign := ""
	if d.negative {
		sign = "-"
	}
	n := int64(len(d.digits))
	switch {
	case n == 0:
		return "0"
	case d.point >= n && d.point-n <= maxZeros:
		return json.Number(sign + d.digits + strings.Repeat("0", int(d.point-n)))
	case 0 < d.point && d.point < n:
		return json.Number(sign + d.digits[:d.point] + "." + d.digits[d.point:])
	case -maxZeros <= d.point && d.point <= 0:
		return json.Number(sign + "0." + strings.Repeat("0", int(-d.point)) + d.digits)
	}
	fraction := ""
	if n > 1 {
		fraction = "." + d.digits[1:]
	}
	return json.Number(sign + d.digits[:1] + fraction + "e" + strconv.FormatInt(d.point-1, 10))
}

// whole reports whether the number has no fraction.
func (d decimal) whole() bool { return d.point >= int64(len(d.digits)) }

func (d decimal) negate() decimal {
	d.negative = !d.negative && d.digits != ""
	return d
}

func (d decimal) abs() decimal {
	d.negative = false
	return d
}

func (d decimal) truncate() decimal { return d.cut(false) }

func (d decimal) floor() decimal { return d.cut(d.negative) }

func (d decimal) ceil() decimal { return d.cut(!d.negative) }

// round rounds halves away from zero.
func (d decimal) round() decimal {
	return d.cut(d.point >= 0 && d.point < int64(len(d.digits)) && d.digits[d.point] >= '5')
}

// cut drops the fraction; with away, a number that has one becomes the next
// integer away from zero.
func (d decimal) cut(away bool) decimal {
	if d.whole() {
		return d
	}
	kept := "0" + d.digits[:max(0, d.point)]
	if away { // add one
		nines := len(kept) - len(strings.TrimRight(kept, "9"))
		last := len(kept) - nines - 1
		kept = kept[:last] + string(kept[last]+1) + strings.Repeat("0", nines)
	}
	result, _ := parseDecimal(kept) // digits only
	if d.negative {
		return result.negate()
	}
	return result
}

// calculate returns a number, a text for the sum of two texts, or nil where
// there is no result. Sums, differences and products are exact, and so are
// remainders, and quotients that are integers, as long as the numbers have at
// most maxExactDigits digits; everything else is in double precision.
func (s *Steps) calculate(operator string, a, b any) any {
	if x, ok := a.(string); ok && operator == "+" {
		if y, ok := b.(string); ok && len(x)+len(y) <= MaxRendered && s.spend(len(x)+len(y)) {
			return x + y
		}
	}
	x, ok := s.number(a)
	if !ok {
		return nil
	}
	y, ok := s.number(b)
	if !ok {
		return nil
	}
	if result, ok := exactly(operator, x, y); ok {
		return result.value()
	}
	result, ok := number(inDouble(operator, x.double(), y.double()))
	if !ok {
		return nil
	}
	return result.value()
}

// exactly calculates with all digits; ok is false where that is not possible or
// too long.
func exactly(operator string, x, y decimal) (result decimal, ok bool) {
	a, b, exponent, ok := aligned(x, y)
	if !ok {
		return decimal{}, false
	}
	switch operator {
	case "+":
		return fromInt(a.Add(a, b), exponent), true
	case "-":
		return fromInt(a.Sub(a, b), exponent), true
	case "*":
		return fromInt(a.Mul(a, b), 2*exponent), true
	case "/":
		if b.Sign() != 0 {
			quotient, rest := a.QuoRem(a, b, new(big.Int))
			return fromInt(quotient, 0), rest.Sign() == 0
		}
	case "%":
		if b.Sign() != 0 {
			return fromInt(a.Rem(a, b), exponent), true
		}
	}
	return decimal{}, false
}

// aligned returns two numbers as integers × 10^exponent.
func aligned(x, y decimal) (a, b *big.Int, exponent int64, ok bool) {
	low := min(x.lowest(), y.lowest())
	if max(x.point, y.point)-low > maxExactDigits {
		return nil, nil, 0, false
	}
	return x.integer(low), y.integer(low), low, true
}

// lowest returns the exponent of the last digit; of zero 0.
func (d decimal) lowest() int64 { return d.point - int64(len(d.digits)) }

// integer returns the number divided by 10^exponent, which is at most lowest.
func (d decimal) integer(exponent int64) *big.Int {
	n := new(big.Int)
	if d.digits == "" {
		return n
	}
	n.SetString(d.digits+strings.Repeat("0", int(d.lowest()-exponent)), 10)
	if d.negative {
		n.Neg(n)
	}
	return n
}

func fromInt(n *big.Int, exponent int64) decimal {
	d, _ := parseDecimal(n.String()) // digits only
	if d.digits != "" {
		d.point += exponent
	}
	return d
}

// double returns the nearest double; infinity beyond their range.
func (d decimal) double() float64 {
	n, _ := strconv.ParseFloat(d.value().String(), 64) // its error means infinity
	return n
}

func inDouble(operator string, x, y float64) float64 {
	switch operator {
	case "+":
		return x + y
	case "-":
		return x - y
	case "*":
		return x * y
	case "/":
		return x / y
	case "%":
		return math.Mod(x, y)
	default: // "**"
		return math.Pow(x, y)
	}
}

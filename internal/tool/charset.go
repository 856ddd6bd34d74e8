package tool

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
)

// readText reads the body of a response, at most maxReply bytes, as UTF-8 text: decompressed, though it was not asked for compressed, and
// converted from the character set that it declares or seems to have. What is no text is returned as it is.
func readText(response *http.Response) ([]byte, error) {
	body, err := decompressed(response)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(body, maxReply))
	if err != nil && (len(text) < maxReply || !errors.Is(err, io.ErrUnexpectedEOF)) {
		return nil, err
	}
	return toUTF8(text, response.Header.Get("Content-Type")), nil
}

// gzipMark begins each gzip stream (RFC 1952), also those of servers that do not declare it.
var gzipMark = []byte{0x1f, 0x8b, 8}

// decompressed returns the body without its content coding. What it grows to is bounded by the reader of the result.
func decompressed(response *http.Response) (io.Reader, error) {
	limited := io.LimitReader(response.Body, maxReply)
	coding := strings.ToLower(strings.TrimSpace(response.Header.Get("Content-Encoding")))
	head := make([]byte, len(gzipMark))
	n, err := io.ReadFull(limited, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	body := io.MultiReader(bytes.NewReader(head[:n]), limited)
	switch {
	case bytes.Equal(head[:n], gzipMark):
		return gzip.NewReader(body)
	case n == 0, coding == "", coding == "identity", coding == "gzip", coding == "x-gzip":
		return body, nil
	case coding == "deflate":
		return zlib.NewReader(body)
	}
	return nil, errCoding(coding)
}

// errCoding is the error of a response in a content coding that was not asked for and is not known.
type errCoding string

func (e errCoding) Error() string {
	return fmt.Sprintf("its content coding %.20q is not supported", string(e))
}

// toUTF8 converts text to UTF-8 without a byte order mark. The character set is what a byte order mark says, the media type, or, without
// either, UTF-8, or else what it seems to be. Text that is valid UTF-8 is not taken for Latin-1, which many servers declare for anything.
func toUTF8(text []byte, mediaType string) []byte {
	kind, parameters, _ := mime.ParseMediaType(mediaType)
	main, _, _ := strings.Cut(kind, "/")
	if main == "image" || main == "audio" || main == "video" || kind == "application/octet-stream" || kind == "application/pdf" {
		return text
	}
	declared := strings.ToLower(parameters["charset"])
	isLatin := declared == "" || strings.HasPrefix(declared, "iso-8859") || strings.HasPrefix(declared, "windows-125") || declared == "us-ascii"
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if isLatin && utf8.Valid(wholeCharacters(text)) {
		return text
	}
	encoding, _, _ := charset.DetermineEncoding(text, mediaType)
	converted, err := encoding.NewDecoder().Bytes(text)
	if err != nil {
		return text
	}
	return bytes.TrimPrefix(converted, []byte("\ufeff"))
}

// wholeCharacters returns text without a character of UTF-8 at its end that may be cut off.
func wholeCharacters(text []byte) []byte {
	for n := 1; n <= min(utf8.UTFMax-1, len(text)); n++ {
		if at := len(text) - n; utf8.RuneStart(text[at]) {
			if !utf8.FullRune(text[at:]) {
				return text[:at]
			}
			break
		}
	}
	return text
}

package sip

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	lksip "github.com/livekit/sip/pkg/sip"
	"github.com/livekit/sipgo/sip"
)

// transferWait bounds a transfer: the network rings the other number meanwhile.
const transferWait = time.Minute

// Transfer has the telephone network connect a phone that was dialled with another number (E.164) in place of its room: by
// REFER (RFC 3515), which the trunk has to allow. It returns when the network has done so; the phone is in the room until
// it is put out, or the network takes it away. Its error says why it did not, without the number.
func (g *Gateway) Transfer(ctx context.Context, room, identity, number string) error {
	l := g.uac.answered(room, identity)
	if l == nil {
		return errors.New("only a phone that was dialled from here, and is on the line, can be transferred")
	}
	limited, cancel := context.WithTimeout(ctx, transferWait)
	defer cancel()
	err := g.uac.refer(limited, l, "tel:"+number)
	if limited.Err() != nil && ctx.Err() == nil {
		return errors.New("the other number did not answer in time")
	}
	return err
}

// answered is the leg of a phone that is on the line, or nil.
func (u *uac) answered(room, identity string) *leg {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, l := range u.legs {
		if l.room == room && l.identity == identity && l.acknowledged() {
			return l
		}
	}
	return nil
}

// refer asks for a transfer and waits for its outcome. A network that takes the phone away has transferred it.
func (u *uac) refer(ctx context.Context, l *leg, to string) error {
	tx, err := u.TransactionRequest(l.refer(to))
	if err != nil {
		return errors.New("the trunk cannot be asked for a transfer")
	}
	defer tx.Terminate()
	for accepted := false; ; {
		select {
		// That no more come also tells that the transaction is done. The stack may say both in the instant of the answer.
		case r, open := <-tx.Responses():
			switch {
			case !open && accepted:
				tx = ended{tx}
			case !open:
				return errors.New("the trunk does not answer the request for a transfer")
			case accepted || r.IsProvisional():
			case !r.IsSuccess():
				return fmt.Errorf("the trunk refuses to transfer the call (SIP %d)", r.StatusCode)
			default:
				accepted = true
			}
		case status := <-l.notices:
			switch {
			case status < 200: // the other number rings
			case status < 300:
				return nil
			default:
				return fmt.Errorf("the other number was not reached (SIP %d)", status)
			}
		case <-l.over:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// ended is a transaction of which nothing more is to be heard.
type ended struct{ sip.ClientTransaction }

func (ended) Responses() <-chan *sip.Response { return nil }

// refer is the next request of a leg's dialog, one for a transfer.
func (l *leg) refer(to string) *sip.Request {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := sip.NewRequest(sip.REFER, l.ack.Recipient)
	r.SipVersion = l.ack.SipVersion
	for _, name := range []string{"Route", "From", "To", "Call-ID"} {
		sip.CopyHeaders(name, l.ack, r)
	}
	l.referred++
	forwards := sip.MaxForwardsHeader(70)
	r.AppendHeader(&forwards)
	r.AppendHeader(&sip.CSeqHeader{SeqNo: l.ack.CSeq().SeqNo + l.referred, MethodName: sip.REFER})
	r.AppendHeader(l.contact.Clone())
	r.AppendHeader(sip.NewHeader("Refer-To", "<"+to+">"))
	r.SetTransport(l.ack.Transport())
	r.SetDestination(l.ack.Destination())
	r.SetBody(nil)
	return r
}

// follow has a request of LiveKit's, which does not know of ours, come after those in the dialog.
func (l *leg) follow(request *sip.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if h := request.CSeq(); h != nil && request.Method == sip.BYE {
		h.SeqNo += l.referred
	}
}

func (l *leg) acknowledged() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ack != nil && l.contact != nil
}

// notified takes what the network tells of a transfer (RFC 3515 2.4.4); false for any other request.
func (u *uac) notified(request *sip.Request, tx sip.ServerTransaction) bool {
	if request.Method != sip.NOTIFY {
		return false
	}
	id, err := lksip.GetLocalTagUAS(request)
	if err != nil {
		return false
	}
	u.mu.Lock()
	l := u.legs[string(id)]
	u.mu.Unlock()
	if l == nil {
		return false
	}
	status, ok := fragment(request)
	if !ok {
		_ = tx.Respond(sip.NewResponseFromRequest(request, sip.StatusBadRequest, "Bad Request", nil))
		return true
	}
	// Answered first: what follows upon it may end the call.
	_ = tx.Respond(sip.NewResponseFromRequest(request, sip.StatusOK, "OK", nil))
	select {
	case l.notices <- status:
	default: // nobody waits for so many
	}
	return true
}

// fragment is the SIP status that a NOTIFY of a transfer tells.
func fragment(request *sip.Request) (status int, ok bool) {
	event := request.GetHeader("Event")
	if event == nil {
		event = request.GetHeader("o")
	}
	if event == nil || !strings.HasPrefix(strings.ToLower(strings.TrimSpace(event.Value())), "refer") {
		return 0, false
	}
	fields := bytes.Fields(request.Body())
	if len(fields) < 2 || !bytes.EqualFold(fields[0], []byte("SIP/2.0")) {
		return 0, false
	}
	status, err := strconv.Atoi(string(fields[1]))
	return status, err == nil
}

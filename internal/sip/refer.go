package sip

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/livekit/protocol/livekit"
	lksip "github.com/livekit/sip/pkg/sip"
	"github.com/livekit/sipgo/sip"
)

// transferTimeout bounds a transfer, during which the other number rings.
const transferTimeout = time.Minute

// Transfer connects a phone in a room, which was dialled or has called, with another number (E.164) by REFER (RFC 3515),
// which the trunk has to allow. It returns when the network reports success; the phone stays in the room until it is
// removed or the network ends its call. The error gives the reason without the number.
func (g *Gateway) Transfer(ctx context.Context, room, identity, number string) error {
	limited, cancel := context.WithTimeout(ctx, transferTimeout)
	defer cancel()
	var err error
	if l := g.uac.answeredLeg(room, identity); l != nil {
		err = g.uac.requestTransfer(limited, l, "tel:"+number)
	} else if id := g.callbacks.inboundCall(room, identity); id != "" {
		err = g.referInbound(limited, lksip.LocalTag(id), "<tel:"+number+">")
	} else {
		return errors.New("only a phone that is on the line can be transferred")
	}
	if limited.Err() != nil && ctx.Err() == nil {
		return errors.New("the other number did not answer in time")
	}
	return err
}

// referInbound requests the transfer of an inbound call and waits for its outcome, or for the call's end.
func (g *Gateway) referInbound(ctx context.Context, id lksip.LocalTag, to string) error {
	outcome := make(chan error, 1)
	go func() { outcome <- g.server.TransferCall(ctx, id, to) }() // it ends with the context, the call or the REFER's transaction
	select {
	case err := <-outcome:
		var refused *livekit.SIPStatus
		switch {
		case errors.As(err, &refused):
			return fmt.Errorf("the trunk did not transfer the call (SIP %d)", refused.Code)
		case err != nil:
			return errors.New("the trunk did not transfer the call")
		}
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// answeredLeg returns the leg of an answered phone, or nil.
func (u *uac) answeredLeg(room, identity string) *leg {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, l := range u.legs {
		if l.room == room && l.identity == identity && l.isAnswered() {
			return l
		}
	}
	return nil
}

// requestTransfer sends a REFER and waits for the outcome. A BYE from the network means that the phone was transferred.
func (u *uac) requestTransfer(ctx context.Context, l *leg, to string) error {
	tx, err := u.TransactionRequest(l.newRefer(to))
	if err != nil {
		return errors.New("the trunk cannot be reached for a transfer")
	}
	defer tx.Terminate()
	for accepted := false; ; {
		select {
		// A closed channel also means that the transaction has ended, possibly at the moment of the response.
		case r, open := <-tx.Responses():
			switch {
			case !open && accepted:
				tx = endedTransaction{tx}
			case !open:
				return errors.New("the trunk does not respond to the transfer request")
			case accepted || r.IsProvisional():
			case !r.IsSuccess():
				return fmt.Errorf("the trunk refuses to transfer the call (SIP %d)", r.StatusCode)
			default:
				accepted = true
			}
		case status := <-l.transferStatuses:
			switch {
			case status < 200: // the other number rings
			case status < 300:
				return nil
			default:
				return fmt.Errorf("the other number was not reached (SIP %d)", status)
			}
		case <-l.ended:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// endedTransaction is a transaction without further responses.
type endedTransaction struct{ sip.ClientTransaction }

func (endedTransaction) Responses() <-chan *sip.Response { return nil }

// newRefer returns the next request of a leg's dialog, a REFER.
func (l *leg) newRefer(to string) *sip.Request {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := sip.NewRequest(sip.REFER, l.ack.Recipient)
	r.SipVersion = l.ack.SipVersion
	for _, name := range []string{"Route", "From", "To", "Call-ID"} {
		sip.CopyHeaders(name, l.ack, r)
	}
	l.transfers++
	forwards := sip.MaxForwardsHeader(70)
	r.AppendHeader(&forwards)
	r.AppendHeader(&sip.CSeqHeader{SeqNo: l.ack.CSeq().SeqNo + l.transfers, MethodName: sip.REFER})
	r.AppendHeader(l.contact.Clone())
	r.AppendHeader(sip.NewHeader("Refer-To", "<"+to+">"))
	r.SetTransport(l.ack.Transport())
	r.SetDestination(l.ack.Destination())
	r.SetBody(nil)
	return r
}

// renumber increases the CSeq of a request of LiveKit, which does not count the REFERs in the dialog.
func (l *leg) renumber(request *sip.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if h := request.CSeq(); h != nil && request.Method == sip.BYE {
		h.SeqNo += l.transfers
	}
}

// isAnswered reports whether the phone was answered: the 2xx was acknowledged.
func (l *leg) isAnswered() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ack != nil && l.contact != nil
}

// handleNotify handles the network's notification on a transfer (RFC 3515 2.4.4); it returns false for any other
// request.
func (u *uac) handleNotify(request *sip.Request, tx sip.ServerTransaction) bool {
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
	status, ok := sipfragStatus(request)
	if !ok {
		_ = tx.Respond(sip.NewResponseFromRequest(request, sip.StatusBadRequest, "Bad Request", nil))
		return true
	}
	// The response goes first, because the status may end the call.
	_ = tx.Respond(sip.NewResponseFromRequest(request, sip.StatusOK, "OK", nil))
	select {
	case l.transferStatuses <- status:
	default: // the transfer has ended
	}
	return true
}

// sipfragStatus returns the SIP status in the body of a transfer's NOTIFY.
func sipfragStatus(request *sip.Request) (status int, ok bool) {
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

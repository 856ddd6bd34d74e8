// Copyright 2023 LiveKit, Inc.
//
// Licensed under the Apache License, Version 2.0 (the "License");
// you may not use this file except in compliance with the License.
// You may obtain a copy of the License at
//
// 	http://www.apache.org/licenses/LICENSE-2.0
//
// Unless required by applicable law or agreed to in writing, software
// distributed under the License is distributed on an "AS IS" BASIS,
// WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
// See the License for the specific language governing permissions and
// limitations under the License.

package sip

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/frostbyte73/core"
	"github.com/icholy/digest"

	msdk "github.com/livekit/media-sdk"
	"github.com/livekit/media-sdk/dtmf"
	"github.com/livekit/media-sdk/rtp"
	"github.com/livekit/media-sdk/sdp"
	"github.com/livekit/media-sdk/tones"
	"github.com/livekit/protocol/livekit"
	"github.com/livekit/protocol/logger"
	"github.com/livekit/protocol/rpc"
	lksip "github.com/livekit/protocol/sip"
	"github.com/livekit/protocol/utils/traceid"
	"github.com/livekit/psrpc"
	lksdk "github.com/livekit/server-sdk-go/v2"
	"github.com/livekit/sipgo/sip"

	"github.com/livekit/sip/pkg/config"
	"github.com/livekit/sip/pkg/stats"
	"github.com/livekit/sip/res"
)

const (
	statsInterval = time.Minute

	stateUpdateTick = 10 * time.Minute

	// audioBridgeMaxDelay delays sending audio for certain time, unless RTP packet is received.
	// This is done because of audio cutoff at the beginning of calls observed in the wild.
	audioBridgeMaxDelay = 1 * time.Second

	inviteOkRetryInterval      = 250 * time.Millisecond // 1/2 of T1 for faster recovery
	inviteOkRetryIntervalMax   = 3 * time.Second
	inviteOKRetryAttempts      = 5
	inviteOKRetryAttemptsNoACK = 2
	inviteOkAckLateTimeout     = inviteOkRetryIntervalMax
	authChallengeTimeout       = 30 * time.Second
)

var allowHeader = sip.NewHeader("Allow", "INVITE, ACK, CANCEL, BYE, NOTIFY, REFER, MESSAGE, OPTIONS, INFO, SUBSCRIBE")

var errNoACK = errors.New("no ACK received for 200 OK")

// hashPassword creates a SHA256 hash of the password for logging purposes
func hashPassword(password string) string {
	if password == "" {
		return "<empty>"
	}
	hash := sha256.Sum256([]byte(password))
	return hex.EncodeToString(hash[:8]) // Use first 8 bytes for shorter hash
}

func generateNonce(sipCallID string) string {
	return fmt.Sprintf("%d-%s", time.Now().UnixMicro(), sipCallID)
}

type inboundCallInfo struct {
	sync.Mutex
	cseq        uint32
	cseqAuth    uint32
	invites     uint32
	invitesAuth uint32
}

func inviteHasAuth(r *sip.Request) bool {
	return r.GetHeader("Proxy-Authorization") != nil ||
		r.GetHeader("Authorization") != nil
}

func (c *inboundCallInfo) countInvite(log logger.Logger, req *sip.Request) {
	hasAuth := inviteHasAuth(req)
	cseq := req.CSeq()
	if cseq == nil {
		return
	}
	c.Lock()
	defer c.Unlock()
	cseqPtr := &c.cseq
	countPtr := &c.invites
	name := "invite"
	if hasAuth {
		cseqPtr = &c.cseqAuth
		countPtr = &c.invitesAuth
		name = "invite with auth"
	}
	if *cseqPtr == 0 {
		*cseqPtr = cseq.SeqNo
	}
	if cseq.SeqNo > *cseqPtr {
		return // reinvite
	}
	*countPtr++
	if *countPtr > 1 {
		log.Warnw("remote appears to be retrying an "+name, nil, "invites", *countPtr, "cseq", *cseqPtr)
	}
}

func (s *Server) getCallInfo(id LocalTag) *inboundCallInfo {
	c, _ := s.infos.byLocalTag.Get(id)
	if c != nil {
		return c
	}
	s.infos.Lock()
	defer s.infos.Unlock()
	c, _ = s.infos.byLocalTag.Get(id)
	if c != nil {
		return c
	}
	c = &inboundCallInfo{}
	s.infos.byLocalTag.Add(id, c)
	return c
}

func (s *Server) getInvite(sipCallID string) *inProgressInvite {
	s.imu.Lock()
	defer s.imu.Unlock()
	for i := range s.inProgressInvites {
		if s.inProgressInvites[i].sipCallID == sipCallID {
			return s.inProgressInvites[i]
		}
	}
	if len(s.inProgressInvites) >= digestLimit {
		s.inProgressInvites = s.inProgressInvites[1:]
	}
	is := &inProgressInvite{sipCallID: sipCallID}
	s.inProgressInvites = append(s.inProgressInvites, is)
	return is
}

// scheduleAuthChallengeTimeout finalizes st as SCS_ERROR after authChallengeTimeout
// unless authResolved is set to true (by a follow-up INVITE) before the timer fires.
func (i *inProgressInvite) scheduleAuthChallengeTimeout(st *CallState, log logger.Logger) {
	i.authResolved.Store(false)
	challengedAt := time.Now()
	time.AfterFunc(authChallengeTimeout, func() {
		if !i.authResolved.CompareAndSwap(false, true) {
			return
		}
		log.Infow("auth challenge timed out without authenticated retry; finalizing call as error",
			"sipCallID", i.sipCallID, "timeout", authChallengeTimeout)
		st.Update(func(info *livekit.SIPCallInfo) {
			info.CallStatus = livekit.SIPCallStatus_SCS_ERROR
			info.Error = "auth challenge issued, no authenticated retry received"
			// EndedAtNs reflects when the call effectively ended.
			info.EndedAtNs = challengedAt.UnixNano()
		})
	})
}

// handleInviteAuth performs SIP digest authentication on an inbound INVITE.
// The challenge return value distinguishes the normal digest handshake (where we
// just sent the initial 407 with no credentials yet provided and expect the
// client to retry) from a hard auth failure. Callers should treat
// (ok=false, challenge=true) as non-terminal so it doesn't end up recorded as
// a finalized error state.
func (s *Server) handleInviteAuth(tid traceid.ID, log logger.Logger, req *sip.Request, tx sip.ServerTransaction, from string, auth InboundAuth) (ok bool, challenge bool) {
	if auth.Realm == "" {
		auth.Realm = UserAgent
	}
	log = log.WithValues(
		"username", auth.Username,
		"passwordHash", hashPassword(auth.Password),
		"method", req.Method.String(),
		"uri", req.Recipient.String(),
	)

	log.Infow("Starting SIP invite authentication")

	if auth.Username == "" || auth.Password == "" {
		log.Debugw("Skipping authentication - no credentials provided")
		return true, false
	}

	if s.conf.HideInboundPort {
		// We will send password request anyway, so might as well signal that the progress is made.
		log.Debugw("Sending processing response due to HideInboundPort config")
		_ = tx.Respond(sip.NewResponseFromRequest(req, 100, "Processing", nil))
	}

	// Extract SIP Call ID for tracking in-progress invites
	sipCallID := ""
	if h := req.CallID(); h != nil {
		sipCallID = h.Value()
	}
	inviteState := s.getInvite(sipCallID)
	log = log.WithValues("inviteStateSipCallID", sipCallID)

	h := req.GetHeader("Proxy-Authorization")
	if h == nil {
		inviteState.challenge = digest.Challenge{
			Realm:     auth.Realm,
			Nonce:     generateNonce(sipCallID),
			Algorithm: "MD5",
		}

		log.Debugw("Created digest challenge",
			"realm", inviteState.challenge.Realm,
			"nonce", inviteState.challenge.Nonce,
			"algorithm", inviteState.challenge.Algorithm,
		)

		res := sip.NewResponseFromRequest(req, 407, "Unauthorized", nil)
		res.AppendHeader(sip.NewHeader("Proxy-Authenticate", inviteState.challenge.String()))
		_ = tx.Respond(res)
		log.Infow("No Proxy header found. Sending 407 Unauthorized response with Proxy-Authenticate header")
		return false, true
	}

	log.Debugw("Found Proxy-Authorization header, parsing credentials")
	cred, err := digest.ParseCredentials(h.Value())
	if err != nil {
		log.Warnw("Failed to parse Proxy-Authorization credentials", err,
			"headerValue", h.Value(),
		)
		_ = tx.Respond(sip.NewResponseFromRequest(req, 401, "Bad credentials", nil))
		return false, false
	}

	// Set credURI and credUsername in logger early to avoid repetitive logging
	log = log.WithValues("credURI", cred.URI, "credUsername", cred.Username)

	log.Debugw("Parsed credentials successfully", "cred", cred)

	// Validate that the username in the request matches the expected username
	if cred.Username != auth.Username {
		log.Warnw("Authentication failed - username mismatch", errors.New("username mismatch"),
			"expectedUsername", auth.Username,
			"receivedUsername", cred.Username,
		)
		_ = tx.Respond(sip.NewResponseFromRequest(req, 401, "Unauthorized", nil))
		return false, false
	}

	// Check if we have a valid challenge state
	if inviteState.challenge.Realm == "" {
		log.Warnw("No challenge state found for authentication attempt", errors.New("missing challenge state"),
			"sipCallID", sipCallID,
			"expectedRealm", auth.Realm,
		)
		_ = tx.Respond(sip.NewResponseFromRequest(req, 401, "Bad credentials", nil))
		return false, false
	}

	log.Debugw("Computing digest response",
		"challengeRealm", inviteState.challenge.Realm,
		"challengeNonce", inviteState.challenge.Nonce,
		"challengeAlgorithm", inviteState.challenge.Algorithm,
	)

	digCred, err := digest.Digest(&inviteState.challenge, digest.Options{
		Method:   req.Method.String(),
		URI:      cred.URI,
		Username: cred.Username,
		Password: auth.Password,
	})

	if err != nil {
		log.Warnw("Failed to compute digest response", err)
		_ = tx.Respond(sip.NewResponseFromRequest(req, 401, "Bad credentials", nil))
		return false, false
	}

	log.Debugw("Digest computation completed",
		"expectedResponse", digCred.Response,
		"receivedResponse", cred.Response,
		"responsesMatch", cred.Response == digCred.Response,
	)

	if cred.Response != digCred.Response {
		log.Warnw("Authentication failed - response mismatch", errors.New("response mismatch"),
			"expectedResponse", digCred.Response,
			"receivedResponse", cred.Response,
		)
		_ = tx.Respond(sip.NewResponseFromRequest(req, 401, "Unauthorized", nil))
		return false, false
	}

	log.Infow("SIP invite authentication successful")
	return true, false
}

func sdpBodyFromRequest(req *sip.Request) []byte {
	ct := req.ContentType()
	if ct != nil && ct.Value() != "application/sdp" {
		return nil
	}
	return req.Body()
}

func updateRemoteFromSDP(media *MediaPort, log logger.Logger, codecs *msdk.CodecSet, body []byte) {
	if len(body) == 0 || media == nil {
		return
	}
	desc, err := sdp.ParseWith(codecs, body)
	if err != nil {
		log.Warnw("failed to parse re-INVITE SDP, RTP destination not updated", err)
		return
	}
	media.UpdateRemote(desc.Addr)
}

func (s *Server) onInvite(log *slog.Logger, req *sip.Request, tx sip.ServerTransaction) {
	// Error processed in defer
	_ = s.processInvite(req, tx)
}

func (s *Server) processInvite(req *sip.Request, tx sip.ServerTransaction) (retErr error) {
	start := time.Now()
	ctx := context.Background()
	ctx, span := Tracer.Start(ctx, "sip.Server.processInvite")
	defer span.End()

	var state *CallState
	defer func() {
		if state == nil {
			return
		}
		state.Update(func(info *livekit.SIPCallInfo) {
			if err := retErr; err != nil && info.Error == "" {
				info.CallStatus = livekit.SIPCallStatus_SCS_ERROR
				info.Error = err.Error()
			} else {
				info.CallStatus = livekit.SIPCallStatus_SCS_DISCONNECTED
			}
			info.EndedAtNs = time.Now().UnixNano()
		})
	}()
	s.mon.InviteReqRaw(stats.Inbound)

	src, err := netip.ParseAddrPort(req.Source())
	if err != nil {
		tx.Terminate()
		s.log.Errorw("cannot parse source IP", err, "fromIP", src)
		return psrpc.NewError(psrpc.MalformedRequest, fmt.Errorf("cannot parse source IP: %w", err))
	}
	tr := callTransportFromReq(req)

	cc, err := s.newInbound(req, tx, src)
	if err != nil {
		s.log.Errorw("invalid invite", err)
		if !s.conf.HideInboundPort {
			r := sip.NewResponseFromRequest(req, sip.StatusBadRequest, "Bad request", nil)
			r.AppendHeader(sip.HeaderClone(allowHeader))
			_ = tx.Respond(r)
		}
		tx.Terminate()
		return psrpc.NewError(psrpc.InvalidArgument, fmt.Errorf("invite validation failed: %w", err))
	}
	tid := traceid.FromGUID(string(cc.ID()))
	log := cc.log.WithValues("transport", tr, "tid", tid.String())
	cc.log = log

	// Replay cached final rejection for retries reusing the same Call-ID +
	// From-tag (e.g. provider-level failover after a 4xx). Skips creating
	// a duplicate call object and the OnSessionEnd side-effects that follow.
	if s.rejectedInvites != nil {
		if prev, ok := s.rejectedInvites.Get([2]string{cc.SIPCallID(), string(cc.Tag())}); ok {
			log.Debugw("replaying cached INVITE rejection", "status", prev.status, "reason", prev.reason)
			cc.RespondAndDrop(prev.status, prev.reason)
			return nil
		}
	}

	log.Infow("processing invite")

	s.cmu.RLock()
	existing := s.byLocalTag[cc.ID()]
	s.cmu.RUnlock()
	if existing != nil && existing.cc.InviteCSeq() < cc.InviteCSeq() {
		existing.log().Infow("reinvite", "content-length", req.ContentLength(), "cseq", cc.InviteCSeq())
		existing.updateRemoteFromSDP(sdpBodyFromRequest(req))
		cc.AcceptAsKeepAlive(existing.cc.OwnSDP())
		return nil
	}
	if s.cli != nil { // Process reinvite for existing outbound calls
		oc := s.cli.getActiveCall(cc.ID())
		newCSeq := cc.InviteCSeq()
		if oc != nil && oc.cc != nil && oc.cc.InviteCSeq() < newCSeq {
			localSDP := oc.cc.LocalSDP()
			if len(localSDP) != 0 {
				oc.log.Infow("accepting reinvite", "content-length", req.ContentLength(), "cseq", cc.InviteCSeq())
				oc.updateRemoteFromSDP(sdpBodyFromRequest(req))
				oc.cc.RecordInvite(newCSeq)
				cc.AcceptAsKeepAlive(localSDP)
				return nil
			}
		}
	}

	from, to := cc.From(), cc.To()

	cmon := s.mon.NewCall(stats.Inbound, from.Host, to.Host)
	cmon.InviteReq()
	defer cmon.SessionDur()()
	var checkDurOnce sync.Once
	checkDur := cmon.CheckDur()
	checked := func() {
		checkDurOnce.Do(func() {
			checkDur(time.Since(start))
		})
	}
	defer checked()
	joinDur := cmon.JoinDur()

	var tryingTime time.Time
	if !s.conf.HideInboundPort {
		cc.Processing()
		tryingTime = time.Now()
	}

	callInfo := &rpc.SIPCall{
		LkCallId:  string(cc.ID()),
		SipCallId: cc.SIPCallID(),
		SourceIp:  src.Addr().String(),
		Address:   ToSIPUri("", cc.Address()),
		From:      ToSIPUri("", from),
		To:        ToSIPUri("", to),
	}
	rheaders := cc.RemoteHeaders()
	s.handler.OnInboundInfo(log, callInfo, rheaders)
	for _, h := range rheaders {
		switch h := h.(type) {
		case *sip.ViaHeader:
			callInfo.Via = append(callInfo.Via, &livekit.SIPUri{
				Host:      h.Host,
				Port:      uint32(h.Port),
				Transport: SIPTransportFrom(Transport(h.Transport)),
			})
		}
	}

	tauth := cmon.StageDurTimer("get-auth")
	r, err := s.handler.GetAuthCredentials(ctx, callInfo)
	tauth()
	checked()
	if err != nil {
		cmon.InviteErrorShort(stats.ServerError("auth-error"))
		log.Warnw("Rejecting inbound, auth check failed", err)
		cc.RespondAndDrop(sip.StatusServiceUnavailable, "Try again later")
		return psrpc.NewError(psrpc.PermissionDenied, fmt.Errorf("rejecting inbound, auth check failed: %w", err))
	}
	if r.ProjectID != "" {
		log = log.WithValues("projectID", r.ProjectID)
	}
	if r.TrunkID != "" {
		log = log.WithValues("sipTrunk", r.TrunkID)
	}

	initial := &livekit.SIPCallInfo{
		CallId:        string(cc.ID()),
		Region:        s.region,
		FromUri:       CreateURIFromUserAndAddress(cc.From().User, src.String(), tr).ToSIPUri(),
		ToUri:         CreateURIFromUserAndAddress(cc.To().User, cc.To().Host, tr).ToSIPUri(),
		CallStatus:    livekit.SIPCallStatus_SCS_CALL_INCOMING,
		CallDirection: livekit.SIPCallDirection_SCD_INBOUND,
		CreatedAtNs:   time.Now().UnixNano(),
		TrunkId:       r.TrunkID,
		ProviderInfo:  r.ProviderInfo,
		SipCallId:     cc.SIPCallID(),
	}
	state = NewCallState(s.getStateHandler(r.ProjectID, r.Observability, initial), initial)
	state.Flush()

	switch r.Result {
	case AuthDrop:
		cmon.InviteErrorShort(stats.ClientError("flood"))
		log.Debugw("Dropping inbound flood")
		cc.Drop()
		return psrpc.NewErrorf(psrpc.PermissionDenied, "call was not authorized by trunk configuration")
	case AuthNotFound:
		cmon.InviteErrorShort(stats.ClientError("no-rule"))
		log.Warnw("Rejecting inbound, doesn't match any Trunks", nil)
		cc.RespondAndDrop(sip.StatusNotFound, "Does not match any SIP Trunks")
		return psrpc.NewErrorf(psrpc.NotFound, "no trunk configuration for call")
	case AuthQuotaExceeded:
		cmon.InviteErrorShort(stats.ClientError("quota-exceeded"))
		log.Warnw("Rejecting inbound, quota exceeded", nil)
		cc.RespondAndDrop(sip.StatusServiceUnavailable, "Service temporarily unavailable")
		return psrpc.NewErrorf(psrpc.ResourceExhausted, "quota limit exceeded")
	case AuthNoTrunkFound:
		cmon.InviteErrorShort(stats.ClientError("no-trunk"))
		log.Warnw("Rejecting inbound, no trunk found", nil)
		cc.RespondAndDrop(sip.StatusNotFound, "No trunk found")
		return psrpc.NewErrorf(psrpc.NotFound, "no trunk found for call")
	case AuthPassword:
		if s.conf.HideInboundPort {
			// We will send password request anyway, so might as well signal that the progress is made.
			cc.Processing()
			tryingTime = time.Now()
		}
		sipCallID := ""
		if h := req.CallID(); h != nil {
			sipCallID = h.Value()
		}
		inviteState := s.getInvite(sipCallID)
		// New INVITE supersedes any pending 407-challenge timer for this Call-ID.
		inviteState.authResolved.Store(true)

		s.getCallInfo(cc.ID()).countInvite(log, req)
		if ok, challenge := s.handleInviteAuth(tid, log, req, tx, from.User, r.Auth); !ok {
			// Store (call-ID + from tag) to (to tag) mapping
			s.cmu.Lock()
			s.provisionalInvites.Add([2]string{cc.SIPCallID(), string(cc.Tag())}, cc.ID())
			s.cmu.Unlock()
			cmon.InviteErrorShort(stats.ClientError("unauthorized"))
			if challenge {
				// 407 sent: defer finalization to the timer or the next INVITE,
				// not the deferred handler at the top of processInvite.
				inviteState.scheduleAuthChallengeTimeout(state, log)
				state = nil
			}
			// handleInviteAuth will generate the SIP Response as needed
			return psrpc.NewErrorf(psrpc.PermissionDenied, "invalid credentials were provided")
		}
		// ok
	case AuthAccept:
		s.getCallInfo(cc.ID()).countInvite(log, req)
		// ok
	}

	call := s.newInboundCall(ctx, tid, log, cmon, cc, callInfo, state, start, nil)
	cc.SetCall(call)
	call.joinDur = joinDur
	call.sigTs.InviteTime = start
	call.sigTs.TryingTime = tryingTime
	return call.handleInvite(call.ctx, tid, req, r.TrunkID, s.conf)
}

func (s *Server) onOptions(log *slog.Logger, req *sip.Request, tx sip.ServerTransaction) {
	_ = tx.Respond(sip.NewResponseFromRequest(req, sip.StatusOK, "OK", nil))
}

func (s *Server) onAck(log *slog.Logger, req *sip.Request, tx sip.ServerTransaction) {
	tag, err := GetLocalTagUAS(req)
	if err != nil {
		return
	}
	s.cmu.RLock()
	c := s.byLocalTag[tag]
	s.cmu.RUnlock()
	if c == nil {
		return
	}
	c.log().Infow("ACK from remote")
	c.cc.AcceptAck(req, tx)
}

func (s *Server) onBye(log *slog.Logger, req *sip.Request, tx sip.ServerTransaction) {
	tag, err := GetLocalTagUAS(req)
	if err != nil {
		_ = tx.Respond(sip.NewResponseFromRequest(req, sip.StatusBadRequest, "", nil))
		return
	}

	s.cmu.RLock()
	c := s.byLocalTag[tag]
	s.cmu.RUnlock()
	if c != nil {
		c.cc.AcceptBye(req, tx)
		var (
			reason    ReasonHeader
			rawReason string
		)
		if h := req.GetHeader("Reason"); h != nil {
			rawReason = h.Value()
			reason, err = ParseReasonHeader(rawReason)
			if err != nil {
				c.log().Warnw("cannot parse reason header", err, "reason-raw", rawReason)
			}
		}
		c.log().Infow("BYE from remote",
			"reason-type", reason.Type,
			"reason-cause", reason.Cause,
			"reason-text", reason.Text,
			"reason-raw", rawReason,
		)
		c.Bye(reason)
		return
	}
	ok := false
	if s.sipUnhandled != nil {
		ok = s.sipUnhandled(req, tx)
	}
	if !ok {
		s.log.Infow("BYE for non-existent call", "callID", tag)
		_ = tx.Respond(sip.NewResponseFromRequest(req, sip.StatusCallTransactionDoesNotExists, "Call does not exist", nil))
	}
}

func (s *Server) OnNoRoute(log *slog.Logger, req *sip.Request, tx sip.ServerTransaction) {
	callID := ""
	if h := req.CallID(); h != nil {
		callID = h.Value()
	}
	from := ""
	if h := req.From(); h != nil {
		from = h.Address.String()
	}
	to := ""
	toTag := ""
	if h := req.To(); h != nil {
		to = h.Address.String()
		toTag = h.Params.GetOr("tag", "")
	}
	s.log.Infow("Inbound SIP request not handled",
		"method", req.Method.String(),
		"sipCallID", callID,
		"callID", toTag,
		"from", from,
		"to", to)
	tx.Respond(sip.NewResponseFromRequest(req, 405, "Method Not Allowed", nil))
}

func (s *Server) onNotify(log *slog.Logger, req *sip.Request, tx sip.ServerTransaction) {
	tag, err := GetLocalTagUAS(req)
	if err != nil {
		_ = tx.Respond(sip.NewResponseFromRequest(req, sip.StatusBadRequest, "", nil))
		return
	}

	s.cmu.RLock()
	c := s.byLocalTag[tag]
	s.cmu.RUnlock()
	if c != nil {
		c.log().Infow("NOTIFY")
		err := c.cc.handleNotify(req, tx)

		code, msg := sipCodeAndMessageFromError(err)

		tx.Respond(sip.NewResponseFromRequest(req, code, msg, nil))

		return
	}
	ok := false
	if s.sipUnhandled != nil {
		ok = s.sipUnhandled(req, tx)
	}
	if !ok {
		s.log.Infow("NOTIFY for non-existent call")
		_ = tx.Respond(sip.NewResponseFromRequest(req, sip.StatusCallTransactionDoesNotExists, "Call does not exist", nil))
	}
}

type inboundCall struct {
	s           *Server
	tid         traceid.ID
	logPtr      atomic.Pointer[logger.Logger]
	cc          *sipInbound
	mon         *stats.CallMonitor
	state       *CallState
	callStart   time.Time
	extraAttrs  map[string]string
	attrsToHdr  map[string]string
	ctx         context.Context
	cancel      func()
	closeReason atomic.Pointer[ReasonHeader]
	call        *rpc.SIPCall
	mmu         sync.Mutex
	media       *MediaPort
	mediaCodecs *msdk.CodecSet
	dtmf        chan dtmf.Event // buffered
	endCall     chan EndCall    // buffered
	lkRoom      RoomInterface   // LiveKit room; only active after correct pin is entered
	callDur     func() time.Duration
	joinDur     func() time.Duration
	forwardDTMF atomic.Bool
	done        atomic.Bool
	started     core.Fuse
	stats       Stats
	sigTs       SignalingTimestamps
	jitterBuf   bool
	projectID   string
}

func (s *Server) newInboundCall(
	ctx context.Context,
	tid traceid.ID,
	log logger.Logger,
	mon *stats.CallMonitor,
	cc *sipInbound,
	call *rpc.SIPCall,
	state *CallState,
	callStart time.Time,
	extra map[string]string,
) *inboundCall {
	ctx = context.WithoutCancel(ctx)
	// Map known headers immediately on join. The rest of the mapping will be available later.
	extra = HeadersToAttrs(extra, nil, 0, cc, nil)
	c := &inboundCall{
		s:          s,
		tid:        tid,
		callStart:  callStart,
		mon:        mon,
		cc:         cc,
		call:       call,
		state:      state,
		extraAttrs: extra,
		dtmf:       make(chan dtmf.Event, 10),
		endCall:    make(chan EndCall, 1),
		jitterBuf:  SelectValueBool(s.conf.EnableJitterBuffer, s.conf.EnableJitterBufferProb),
		projectID:  "", // Will be set in handleInvite when available
	}
	c.stats.Update()
	c.setLog(log.WithValues("jitterBuf", c.jitterBuf))
	// we need it created earlier so that the audio mixer is available for pin prompts
	c.lkRoom = s.getRoom(c.log(), &c.stats.Room)
	c.ctx, c.cancel = context.WithCancel(ctx)
	s.cmu.Lock()
	s.byLocalTag[cc.ID()] = c
	s.cmu.Unlock()
	return c
}

func (c *inboundCall) setLog(log logger.Logger) {
	c.logPtr.Store(&log)
}

func (c *inboundCall) log() logger.Logger {
	ptr := c.logPtr.Load()
	if ptr == nil {
		return nil
	}
	return *ptr
}

func (c *inboundCall) appendLogValues(kvs ...any) {
	c.setLog(c.log().WithValues(kvs...))
}

func (c *inboundCall) mediaTimeout(ctx context.Context) error {
	if c.cc == nil {
		c.closeWithTimeout(ctx, true)
		return psrpc.NewErrorf(psrpc.DeadlineExceeded, "media timeout")
	}
	if !c.cc.GotACK() {
		c.log().Warnw("Media timeout after missing ACK", errNoACK)
		c.closeWithNoACK(ctx)
		return psrpc.NewError(psrpc.DeadlineExceeded, errNoACK)
	}
	c.closeWithTimeout(ctx, false)
	return nil // logged as a warning in close
}

func (c *inboundCall) handleInvite(ctx context.Context, tid traceid.ID, req *sip.Request, trunkID string, conf *config.Config) error {
	ctx, span := Tracer.Start(ctx, "sip.inbound.handleInvite")
	defer span.End()
	c.mon.InviteAccept()
	c.mon.CallStart()
	defer c.mon.CallEnd()
	defer c.closeWithTerm(ctx, stats.ServerError("other"))

	// Extract and store the SIP call ID from the request
	if h := req.CallID(); h != nil {
		c.call.SipCallId = h.Value()
	}

	c.cc.StartRinging()
	c.sigTs.RingingTime = time.Now()
	// Send initial request. In the best case scenario, we will immediately get a room name to join.
	// Otherwise, we could even learn that this number is not allowed and reject the call, or ask for pin if required.
	tdisp := c.mon.StageDurTimer("eval-dispatch")
	disp := c.s.handler.DispatchCall(ctx, &CallInfo{
		TrunkID: trunkID,
		Call:    c.call,
		Pin:     "",
		NoPin:   false,
	})
	tdisp()
	if disp.MediaConfig == nil {
		disp.MediaConfig = &livekit.SIPMediaConfig{}
	}
	mconf, err := newMediaConfig(disp.MediaConfig, c.s.conf.MediaTimeout)
	if err != nil {
		c.log().Errorw("Cannot create media config", err)
		c.cc.RespondAndDrop(sip.StatusInternalServerError, "")
		c.closeWithTerm(ctx, stats.ServerError("media-config-error"))
		return psrpc.NewError(psrpc.Internal, err)
	}
	if disp.ProjectID != "" {
		c.appendLogValues("projectID", disp.ProjectID)
		c.projectID = disp.ProjectID
	}
	if disp.TrunkID != "" {
		c.appendLogValues("sipTrunk", disp.TrunkID)
	}
	if disp.DispatchRuleID != "" {
		c.appendLogValues("sipRule", disp.DispatchRuleID)
	}

	c.state.Update(func(info *livekit.SIPCallInfo) {
		info.TrunkId = disp.TrunkID
		info.DispatchRuleId = disp.DispatchRuleID
		info.RoomName = disp.Room.RoomName
		info.ParticipantIdentity = disp.Room.Participant.Identity
		info.ParticipantAttributes = maps.Clone(disp.Room.Participant.Attributes)
		info.MediaEncryption = disp.MediaConfig.GetEncryption().String()
		info.EnabledFeatures = disp.EnabledFeatures
		// Set callidfull in participant attributes for backwards compatibility
		if c.call.SipCallId != "" {
			if info.ParticipantAttributes == nil {
				info.ParticipantAttributes = make(map[string]string)
			}
			info.ParticipantAttributes[AttrSIPCallIDFull] = c.call.SipCallId
		}
	})

	var pinPrompt bool
	switch disp.Result {
	default:
		err := fmt.Errorf("unexpected dispatch result: %v", disp.Result)
		c.log().Errorw("Rejecting inbound call", err)
		c.cc.RespondAndDrop(sip.StatusNotImplemented, "")
		c.closeWithTerm(ctx, stats.ServerError("unexpected-result"))
		return psrpc.NewError(psrpc.Unimplemented, err)
	case DispatchNoRuleDrop:
		c.log().Debugw("Rejecting inbound flood")
		c.cc.Drop()
		c.close(ctx, EndCall{
			Status: callFlood,
			Term:   stats.ClientError("flood"),
		})
		return psrpc.NewErrorf(psrpc.PermissionDenied, "call was not authorized by trunk configuration")
	case DispatchNoRuleReject:
		c.log().Infow("Rejecting inbound call, doesn't match any Dispatch Rules")
		c.cc.RespondAndDrop(sip.StatusNotFound, "Does not match Trunks or Dispatch Rules")
		c.closeWithTerm(ctx, stats.ClientError("no-dispatch"))
		return psrpc.NewErrorf(psrpc.NotFound, "no trunk configuration for call")
	case DispatchServiceUnavailable:
		c.log().Warnw("Rejecting inbound call, dispatch evaluation failed", nil)
		c.cc.RespondAndDrop(sip.StatusServiceUnavailable, "Try again later")
		c.closeWithTerm(ctx, stats.ServerError("dispatch-error"))
		return psrpc.NewErrorf(psrpc.Unavailable, "dispatch rule evaluation unavailable")
	case DispatchAccept:
		pinPrompt = false
	case DispatchRequestPin:
		pinPrompt = true
	}

	runMedia := func(m *sipMediaConfig) ([]byte, error) {
		log := c.log()
		if h := req.ContentLength(); h != nil {
			log = log.WithValues("contentLength", int(*h))
		}
		if h := req.ContentType(); h != nil {
			log = log.WithValues("contentType", h.Value())
			switch h.Value() {
			default:
				log.Infow("unsupported offer type")
			case "application/sdp":
			}
		} else {
			log.Infow("no offer type specified")
		}
		rawSDP := req.Body()
		tmedia := c.mon.StageDurTimer("start-media")
		answerData, err := c.runMediaConn(tid, rawSDP, m, conf, disp.EnabledFeatures, disp.FeatureFlags)
		tmedia()
		if err != nil {
			sipReason := sip.StatusInternalServerError
			log = log.WithValues("sdp", string(rawSDP))
			status, term := callDropped, stats.ServerError("media-failed")
			if errors.Is(err, sdp.ErrNoCommonMedia) {
				status, term = callMediaFailed, stats.ClientError("no-common-codec")
				sipReason = sip.StatusBadRequest
			} else if errors.Is(err, sdp.ErrNoCommonCrypto) {
				status, term = callMediaFailed, stats.ClientError("no-common-crypto")
				sipReason = sip.StatusBadRequest
			} else if e := (SDPError{}); errors.As(err, &e) {
				status, term = callMediaFailed, stats.ClientError("sdp-error")
				sipReason = sip.StatusBadRequest
			}
			if sipReason >= 500 {
				log.Errorw("Cannot start media", err)
			} else {
				log.Warnw("Cannot start media", err)
			}
			c.cc.RespondAndDrop(sipReason, "")
			c.close(ctx, EndCall{
				Status: status,
				Term:   term,
			})
			return nil, err
		}
		return answerData, nil
	}

	// If we do not wait for ACK during Accept, we could wait for it later.
	// Otherwise, leave channels nil, so that they never trigger.
	var (
		ackReceived <-chan struct{}
		ackTimeout  <-chan time.Time
	)

	// We need to start media first, otherwise we won't be able to send audio prompts to the caller, or receive DTMF.
	acceptCall := func(answerData []byte) (bool, error) {
		defer c.mon.StageDurTimer("call-accept")()
		headers := disp.Headers
		c.attrsToHdr = disp.AttributesToHeaders
		if r := c.lkRoom.Room(); r != nil {
			headers = AttrsToHeaders(r.LocalParticipant.Attributes(), c.attrsToHdr, headers)
		}
		c.log().Infow("Accepting the call", "headers", headers)
		taccept := c.mon.StageDurTimer("sip-accept")
		err := c.cc.Accept(ctx, answerData, headers)
		taccept()
		c.sigTs.AcceptTime = time.Now()
		if errors.Is(err, errNoACK) {
			c.log().Errorw("Call accepted, but no ACK received", err)
			c.closeWithNoACK(ctx)
			return false, err
		} else if err != nil {
			c.log().Errorw("Cannot accept the call", err)
			c.close(ctx, EndCall{
				Status: callAcceptFailed,
				Term:   stats.ServerError("accept-failed"),
			})
			return false, err
		}
		if !c.s.conf.Experimental.InboundWaitACK {
			ackReceived = c.cc.InviteACK()
			// Start this timer right after the Accept.
			ackTimeout = time.After(inviteOkAckLateTimeout)
		}
		c.media.EnableTimeout(true)
		c.media.EnableOut()
		if ok, err := c.waitMedia(ctx); !ok {
			return false, err
		}
		c.setStatus(CallActive)
		return true, nil
	}

	ok := false
	var answerData []byte
	if pinPrompt {
		var err error
		// Accept the call first on the SIP side, so that we can send audio prompts.
		// This also means we have to pick encryption setting early, before room is selected.
		// Backend must explicitly enable encryption for pin prompts.
		answerData, err = runMedia(mconf)
		if err != nil {
			return err // already sent a response
		}
		if ok, err = acceptCall(answerData); !ok {
			return err // could be success if the caller hung up
		}
		disp, ok, err = c.pinPrompt(ctx, trunkID)
		if !ok {
			return err // already sent a response. Could be success if user hung up
		}
	} else {
		// Start media with given encryption settings.
		var err error
		answerData, err = runMedia(mconf)
		if err != nil {
			return err // already sent a response
		}
	}
	p := &disp.Room.Participant
	p.Attributes = HeadersToAttrs(p.Attributes, disp.HeadersToAttributes, disp.IncludeHeaders, c.cc, nil)
	if disp.MaxCallDuration <= 0 || disp.MaxCallDuration > maxCallDuration {
		disp.MaxCallDuration = maxCallDuration
	}
	if disp.RingingTimeout <= 0 {
		disp.RingingTimeout = defaultRingingTimeout
	}
	disp.Room.JitterBuf = c.jitterBuf
	disp.Room.LogSignalChanges, _ = strconv.ParseBool(disp.FeatureFlags[signalLoggingFeatureFlag])
	ctx, cancel := context.WithTimeout(ctx, disp.MaxCallDuration)
	defer cancel()
	status := CallRinging
	if pinPrompt {
		status = CallActive
	}
	if err := c.joinRoom(ctx, disp.Room, status); err != nil {
		return fmt.Errorf("failed joining room: %w", err)
	}
	// Publish our own track.
	if err := c.publishTrack(); err != nil {
		c.log().Errorw("Cannot publish track", err)
		c.closeWithTerm(ctx, stats.ServerError("publish-failed"))
		return fmt.Errorf("publishing track to room failed: %w", err)
	}
	tsub := c.mon.StageDurTimer("track-subscribe")
	c.lkRoom.Subscribe()
	tsub()
	if !pinPrompt {
		c.log().Infow("Waiting for track subscription(s)")
		// For dispatches without pin, we first wait for LK participant to become available,
		// and also for at least one track subscription. In the meantime we keep ringing.
		if ok, err := c.waitSubscribe(ctx, disp.RingingTimeout); !ok {
			return err // already sent a response. Could be success if caller hung up
		}
		if ok, err := acceptCall(answerData); !ok {
			return err // already sent a response. Could be success if caller hung up
		}
	}

	c.state.Update(func(info *livekit.SIPCallInfo) {
		info.StartedAtNs = time.Now().UnixNano()
		info.CallStatus = livekit.SIPCallStatus_SCS_ACTIVE
		if r := c.lkRoom.Room(); r != nil {
			info.RoomId = r.SID()
			info.RoomName = r.Name()
			info.ParticipantAttributes = r.LocalParticipant.Attributes() // clones
		}
	})

	c.started.Break()
	return c.waitForCallEnd(ctx, ackReceived, ackTimeout, mconf.MediaTimeout)
}

func (c *inboundCall) waitForCallEnd(ctx context.Context, ackReceived <-chan struct{}, ackTimeout <-chan time.Time, mediaTimeout time.Duration) error {
	ctx, span := Tracer.Start(ctx, "sip.inbound.waitForCallEnd")
	defer span.End()
	// Wait for the caller to terminate the call. Send regular keep alives.
	ticker := time.NewTicker(stateUpdateTick)
	defer ticker.Stop()

	statsTicker := time.NewTicker(statsInterval)
	defer statsTicker.Stop()
	for {
		select {
		case <-statsTicker.C:
			c.stats.Update()
			c.printStats(c.log())
		case <-ticker.C:
			c.log().Debugw("sending keep-alive")
			c.state.ForceFlush()
		case <-ctx.Done():
			c.closeWithHangup(ctx)
			return nil
		case end := <-c.endCall:
			c.close(ctx, end)
			return nil
		case <-c.lkRoom.Closed():
			c.state.DeferUpdate(func(info *livekit.SIPCallInfo) {
				info.DisconnectReason = livekit.DisconnectReason_CLIENT_INITIATED
			})
			c.closeWithTerm(ctx, terminationFromRoomDisconnect(c.lkRoom.ClosedReason()))
			return nil
		case <-c.media.Timeout():
			return c.mediaTimeout(ctx)
		case <-ackReceived:
			ackTimeout = nil // all good, disable timeout
			ackReceived = nil
		case <-ackTimeout:
			// Only warn, the other side still thinks the call is active, media may be flowing.
			c.log().Warnw("Call accepted, but no ACK received", errNoACK)
			// We don't need to wait for a full media timeout initially, we already know something is not quite right.
			c.media.SetTimeout(min(inviteOkAckLateTimeout, c.s.conf.MediaTimeoutInitial), mediaTimeout)
		}
	}
}

func (c *inboundCall) runMediaConn(tid traceid.ID, offerData []byte, mconf *sipMediaConfig, conf *config.Config, features []livekit.SIPFeature, featureFlags map[string]string) (answerData []byte, _ error) {
	c.mmu.Lock()
	defer c.mmu.Unlock()
	c.mon.SDPSize(len(offerData), true)
	c.log().Debugw("SDP offer", "sdp", string(offerData))

	logSignalChanges := false
	logSignalChanges, _ = strconv.ParseBool(featureFlags[signalLoggingFeatureFlag])
	mp, err := NewMediaPort(tid, c.log(), c.mon, &MediaOptions{
		IP:                   c.s.sconf.MediaIP,
		Ports:                conf.RTPPort,
		Listen:               c.s.sconf.ListenMedia, // Parley
		MediaTimeoutInitial:  c.s.conf.MediaTimeoutInitial,
		MediaTimeout:         mconf.MediaTimeout,
		SymmetricRTP:         conf.SymmetricRTP,
		IgnoreLocalAddrInSDP: c.s.conf.IgnoreLocalAddrInSDP,
		EnableJitterBuffer:   c.jitterBuf,
		LogSignalChanges:     logSignalChanges,
		Stats:                &c.stats.Port,
		NoInputResample:      !RoomResample,
		DrainingIdleTimeout:  conf.RTPDrainingIdleTimeout,
		DrainingDuration:     conf.RTPDrainingDuration,
	}, RoomSampleRate)
	if err != nil {
		return nil, err
	}
	c.media = mp
	c.mediaCodecs = mconf.Codecs
	mp.EnableTimeout(false) // enabled once we accept the call
	mp.DisableOut()         // disabled until we send 200
	mp.SetDTMFAudio(conf.AudioDTMF)

	answer, mc, err := mp.SetOffer(offerData, mconf.Codecs, mconf.Encryption)
	if err != nil {
		return nil, err
	}
	answerData, err = answer.SDP.Marshal()
	if err != nil {
		return nil, err
	}
	c.mon.SDPSize(len(answerData), false)
	c.log().Debugw("SDP answer", "sdp", string(answerData))

	if err = mp.SetConfig(mc); err != nil {
		return nil, err
	}
	mc.Processor = c.s.handler.GetMediaProcessor(features, featureFlags, string(c.cc.ID()), MediaProcessorOpts{InputSampleRate: c.media.InputSampleRate()})
	if mc.Audio.DTMFType != 0 {
		mp.HandleDTMF(c.handleDTMF)
	}

	// Must be set earlier to send the pin prompts.
	if w := c.lkRoom.SwapOutput(mp.GetAudioWriter()); w != nil {
		_ = w.Close()
	}
	if mc.Audio.DTMFType != 0 {
		c.lkRoom.SetDTMFOutput(mp)
	}
	c.state.DeferUpdate(func(info *livekit.SIPCallInfo) {
		info.AudioCodec = mc.Audio.Codec.Info().SDPName
	})
	return answerData, nil
}

func (c *inboundCall) waitMedia(ctx context.Context) (bool, error) {
	defer c.mon.StageDurTimer("wait-media")()
	ctx, span := Tracer.Start(ctx, "sip.inbound.waitMedia")
	defer span.End()
	// Wait for either a first RTP packet or a predefined delay.
	//
	// If the delay kicks in earlier than the caller is ready, they might miss some audio packets.
	//
	// On the other hand, if we always wait for RTP, it might be harder to diagnose firewall/routing issues.
	// In that case both sides will hear nothing, instead of only one side having issues.
	//
	// Thus, we wait at most a fixed amount of time before bridging audio.

	delay := time.NewTimer(audioBridgeMaxDelay)
	defer delay.Stop()
	select {
	case <-c.cc.Cancelled():
		c.closeWithCancelled(ctx)
		return false, nil // caller hung up
	case <-ctx.Done():
		c.closeWithHangup(ctx)
		return false, nil // caller hung up
	case <-c.lkRoom.Closed():
		c.closeWithHangup(ctx)
		return false, psrpc.NewErrorf(psrpc.Canceled, "room closed")
	case <-c.media.Timeout():
		return false, c.mediaTimeout(ctx)
	case end := <-c.endCall:
		c.close(ctx, end)
		return false, nil
	case <-c.media.Received():
	case <-delay.C:
	}
	return true, nil
}

func (c *inboundCall) waitSubscribe(ctx context.Context, timeout time.Duration) (bool, error) {
	ctx, span := Tracer.Start(ctx, "sip.inbound.waitSubscribe")
	defer span.End()
	defer c.mon.StageDurTimer("wait-subscribe")()
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case <-c.cc.Cancelled():
		c.closeWithCancelled(ctx)
		return false, nil
	case <-ctx.Done():
		c.closeWithHangup(ctx)
		return false, nil
	case <-c.lkRoom.Closed():
		c.closeWithHangup(ctx)
		return false, psrpc.NewErrorf(psrpc.Canceled, "room closed")
	case <-c.media.Timeout():
		return false, c.mediaTimeout(ctx)
	case end := <-c.endCall:
		c.close(ctx, end)
		return false, psrpc.NewErrorf(psrpc.Canceled, "rpc terminated the call")
	case <-timer.C:
		c.closeWithTerm(ctx, stats.ServerError("cannot-subscribe"))
		return false, psrpc.NewErrorf(psrpc.DeadlineExceeded, "room subscription timed out")
	case <-c.lkRoom.Subscribed():
		return true, nil
	}
}

func (c *inboundCall) pinPrompt(ctx context.Context, trunkID string) (disp CallDispatch, _ bool, _ error) {
	ctx, span := Tracer.Start(ctx, "sip.inbound.pinPrompt")
	defer span.End()
	c.log().Infow("Requesting Pin for SIP call")
	const pinLimit = 16
	c.playAudio(ctx, c.s.res.enterPin)
	pin := ""
	noPin := false
	for {
		select {
		case <-c.cc.Cancelled():
			c.closeWithCancelled(ctx)
			return disp, false, nil
		case <-ctx.Done():
			c.closeWithHangup(ctx)
			return disp, false, nil
		case <-c.media.Timeout():
			return disp, false, c.mediaTimeout(ctx)
		case b, ok := <-c.dtmf:
			if !ok {
				c.Close()
				return disp, false, psrpc.NewErrorf(psrpc.Canceled, "failed reading DTMF event")
			}
			if b.Digit == 0 {
				continue // unrecognized
			}
			if b.Digit == '#' {
				// End of the pin
				noPin = pin == ""

				c.log().Infow("Checking Pin for SIP call", "pin", pin, "noPin", noPin)
				disp = c.s.handler.DispatchCall(ctx, &CallInfo{
					TrunkID: trunkID,
					Call:    c.call,
					Pin:     pin,
					NoPin:   noPin,
				})
				if disp.ProjectID != "" {
					c.appendLogValues("projectID", disp.ProjectID)
					c.projectID = disp.ProjectID
				}
				if disp.TrunkID != "" {
					c.appendLogValues("sipTrunk", disp.TrunkID)
				}
				if disp.DispatchRuleID != "" {
					c.appendLogValues("sipRule", disp.DispatchRuleID)
				}
				if disp.Result == DispatchServiceUnavailable {
					c.log().Warnw("Rejecting call, dispatch evaluation failed", nil, "pin", pin, "noPin", noPin)
					c.closeWithTerm(ctx, stats.ServerError("dispatch-error"))
					return disp, false, psrpc.NewErrorf(psrpc.Unavailable, "dispatch rule evaluation unavailable")
				}
				if disp.Result != DispatchAccept || disp.Room.RoomName == "" {
					c.log().Infow("Rejecting call", "pin", pin, "noPin", noPin)
					c.playAudio(ctx, c.s.res.wrongPin)
					c.closeWithTerm(ctx, stats.ClientError("wrong-pin"))
					return disp, false, psrpc.NewErrorf(psrpc.PermissionDenied, "wrong pin")
				}
				c.playAudio(ctx, c.s.res.roomJoin)
				return disp, true, nil
			}
			// Gather pin numbers
			pin += string(b.Digit)
			if len(pin) > pinLimit {
				c.playAudio(ctx, c.s.res.wrongPin)
				c.close(ctx, EndCall{
					Status: callDropped,
					Term:   stats.ClientError("wrong-pin"),
				})
				return disp, false, psrpc.NewErrorf(psrpc.PermissionDenied, "wrong pin")
			}
		}
	}
}

func (c *inboundCall) printStats(log logger.Logger) {
	c.stats.Log(log, c.callStart)
}

func (c *inboundCall) closeWithTerm(ctx context.Context, t stats.Termination) {
	c.close(ctx, EndCall{
		Status: callDropped,
		Term:   t,
	})
}

func (c *inboundCall) EndCall(ctx context.Context, headers map[string]string) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case c.endCall <- EndCall{
		Status:  CallHangup,
		Term:    stats.Success("rpc"),
		Headers: headers,
	}:
	}
	return nil
}

// close should only be called from handleInvite.
func (c *inboundCall) close(ctx context.Context, end EndCall) {
	termCtx, cancel := context.WithCancel(context.WithoutCancel(ctx)) // Do not use ctx cancellation
	defer cancel()
	go func() {
		select {
		case <-termCtx.Done():
			return
		case <-time.After(5 * time.Minute):
			c.mon.CallTerminationFailure()
			c.log().Errorw("call failed to terminate after 5 minutes", nil) // To be able to get call IDs
		}
	}()

	ctx = context.WithoutCancel(ctx)
	if !c.done.CompareAndSwap(false, true) {
		return
	}
	defer c.mon.StageDurTimer("close")
	c.stats.Closed.Store(true)
	result := Result{
		Code:   sip.StatusBusyHere,
		Status: "Rejected",
	}
	switch end.Status {
	case callMediaFailed:
		result = Result{
			Code:   sip.StatusNotAcceptableHere,
			Status: "Media Failed",
		}
	case CallCancelled:
		result = Result{
			Code:   sip.StatusRequestTerminated,
			Status: "Request Terminated",
		}
	}
	log := c.log().WithValues("status", result.Code, "result", string(end.Term.Result), "reason", end.Reason)
	defer func() {
		c.stats.Update()
		c.printStats(log)
	}()
	c.setStatus(end.Status)
	c.mon.CallTerminate(end.Term)
	isWarn := end.Term.Result == stats.ResultServerError || end.Status == callHangupMedia
	if isWarn {
		log.Warnw("Closing inbound call with error", nil)
	} else {
		log.Infow("Closing inbound call")
	}
	if end.Status != callFlood {
		defer log.Infow("Inbound call closed")
	}

	// Send BYE _before_ closing media/room connection.
	// This ensures participant attributes are still available for
	// attributes_to_headers mapping in the setHeaders callback.
	// See: https://github.com/livekit/sip/issues/404
	c.cc.CloseWithStatus(ctx, result, end.Headers)
	c.closeMedia()
	if callDurFn := c.callDur; callDurFn != nil {
		callDurFn()
	}
	c.s.cmu.Lock()
	delete(c.s.byLocalTag, c.cc.ID())
	c.s.cmu.Unlock()

	c.s.DeregisterTransferSIPParticipant(c.cc.ID())

	// Call the handler asynchronously to avoid blocking
	if c.s.handler != nil {
		state := c.state
		go func(tid traceid.ID) {
			ctx := context.WithoutCancel(ctx)
			ctx, span := Tracer.Start(ctx, "sip.inbound.OnSessionEnd")
			defer span.End()
			c.s.handler.OnSessionEnd(ctx, &CallIdentifier{
				ProjectID: c.projectID,
				CallID:    c.call.LkCallId,
				SipCallID: c.call.SipCallId,
			}, state, end.Term.Reason)
		}(c.tid)
	}

	c.cancel()
}

func (c *inboundCall) closeWithTimeout(ctx context.Context, isError bool) {
	status := callDropped
	if !isError {
		status = callHangupMedia
		// Surface the media-timeout banner on the dashboard while keeping the
		// call status as a clean disconnect — post-ACK media timeout usually
		// means BYE was lost, not that the call itself failed. Mirror the
		// outbound info.Error format byte-for-byte so the same dashboard
		// trigger fires for both inbound and outbound.
		c.state.DeferUpdate(func(info *livekit.SIPCallInfo) {
			if info.Error == "" {
				info.Error = psrpc.NewErrorf(psrpc.DeadlineExceeded, "media-timeout").Error()
			}
		})
	}
	leaveLost(c.lkRoom) // Parley
	c.close(ctx, EndCall{
		Status: status,
		Term:   stats.Indeterminate("media-timeout"),
	})
}

func (c *inboundCall) closeWithNoACK(ctx context.Context) {
	leaveLost(c.lkRoom) // Parley
	c.close(ctx, EndCall{
		Status: callNoACK,
		Term:   stats.Indeterminate("no-ack"),
	})
}

func (c *inboundCall) closeWithCancelled(ctx context.Context) {
	var reason ReasonHeader
	if p := c.closeReason.Load(); p != nil {
		reason = *p
	}
	c.closeWith(ctx, CallCancelled, stats.Success("cancelled"), reason)
}

func (c *inboundCall) closeWithHangup(ctx context.Context) {
	var reason ReasonHeader
	if p := c.closeReason.Load(); p != nil {
		reason = *p
	}
	c.closeWith(ctx, CallHangup, stats.Success("hangup"), reason)
}

func (c *inboundCall) closeWith(ctx context.Context, status CallStatus, t stats.Termination, reason ReasonHeader) {
	ctx = context.WithoutCancel(ctx)
	c.state.DeferUpdate(func(info *livekit.SIPCallInfo) {
		info.DisconnectReason = livekit.DisconnectReason_CLIENT_INITIATED
		if info.Error == "" {
			if !reason.IsNormal() {
				info.Error = reason.String()
			}
		}
	})
	if reason.Type != "" {
		if !reason.IsNormal() {
			t.Reason = fmt.Sprintf("bye-%s-%d", strings.ToLower(reason.Type), reason.Cause)
		}
	}
	c.close(ctx, EndCall{
		Status: status,
		Term:   t,
	})
}

func (c *inboundCall) Bye(reason ReasonHeader) {
	c.closeReason.Store(&reason)
	_ = c.Close()
}

func (c *inboundCall) Close() error {
	c.cancel()
	return nil
}

// Shutdown force-closes the call as part of service shutdown, emitting a
// server_error termination so the call is counted in the SLI denominator.
// close() is idempotent via c.done, so concurrent paths cannot double-emit.
func (c *inboundCall) Shutdown(ctx context.Context) {
	c.closeWithTerm(ctx, stats.ServerError("shutdown"))
}

func (c *inboundCall) updateRemoteFromSDP(body []byte) {
	c.mmu.Lock()
	defer c.mmu.Unlock()
	updateRemoteFromSDP(c.media, c.log(), c.mediaCodecs, body)
}

func (c *inboundCall) closeMedia() {
	c.lkRoom.Close()
	c.mmu.Lock()
	defer c.mmu.Unlock()
	if c.media != nil {
		c.media.Close()
	}
}

func (c *inboundCall) setStatus(v CallStatus) {
	attr := v.Attribute()
	if attr == "" {
		return
	}
	if c.lkRoom == nil {
		return
	}
	r := c.lkRoom.Room()
	if r == nil || r.LocalParticipant == nil {
		return
	}

	r.LocalParticipant.SetAttributes(map[string]string{
		livekit.AttrSIPCallStatus: attr,
	})
}

func (c *inboundCall) createLiveKitParticipant(ctx context.Context, rconf RoomConfig, status CallStatus) error {
	ctx, span := Tracer.Start(ctx, "sip.inbound.createLiveKitParticipant")
	defer span.End()
	partConf := &rconf.Participant
	if partConf.Attributes == nil {
		partConf.Attributes = make(map[string]string)
	}
	for k, v := range c.extraAttrs {
		partConf.Attributes[k] = v
	}
	partConf.Attributes[livekit.AttrSIPCallStatus] = status.Attribute()
	c.forwardDTMF.Store(true)
	select {
	case <-ctx.Done():
		return ctx.Err()
	default:
	}

	treg := c.mon.StageDurTimer("lk-reg-transfer")
	err := c.s.RegisterTransferSIPParticipant(LocalTag(c.cc.ID()), c)
	treg()
	if err != nil {
		return err
	}

	tconn := c.mon.StageDurTimer("lk-connect")
	err = c.lkRoom.Connect(ctx, c.s.conf, rconf)
	tconn()
	if err != nil {
		return err
	}
	if err := registerSignalingRPC(c.lkRoom, c.cc); err != nil {
		return err
	}
	if err := registerCallRPC(c.lkRoom, c); err != nil {
		return err
	}
	return nil
}

func (c *inboundCall) publishTrack() error {
	defer c.mon.StageDurTimer("track-publish")()
	local, err := c.lkRoom.NewParticipantTrack(RoomSampleRate)
	if err != nil {
		_ = c.lkRoom.Close()
		return err
	}
	c.media.WriteAudioTo(local)
	return nil
}

func (c *inboundCall) joinRoom(ctx context.Context, rconf RoomConfig, status CallStatus) error {
	defer c.mon.StageDurTimer("join-room")()
	if c.joinDur != nil {
		c.joinDur()
	}
	c.callDur = c.mon.CallDur()
	c.appendLogValues(
		"room", rconf.RoomName,
		"participant", rconf.Participant.Identity,
		"participantName", rconf.Participant.Name,
	)
	c.log().Infow("Joining room")
	if err := c.createLiveKitParticipant(ctx, rconf, status); err != nil {
		c.log().Errorw("Cannot create LiveKit participant", err)
		c.closeWithTerm(ctx, stats.ServerError("participant-failed"))
		return fmt.Errorf("cannot create LiveKit participant: %w", err)
	}
	return nil
}

func (c *inboundCall) playAudio(ctx context.Context, frames []msdk.PCM16Sample) {
	t := c.lkRoom.NewTrack()
	if t == nil {
		return // closed
	}
	defer t.Close()

	sampleRate := res.SampleRate
	if t.SampleRate() != sampleRate {
		frames = slices.Clone(frames)
		for i := range frames {
			frames[i] = msdk.Resample(nil, t.SampleRate(), frames[i], sampleRate)
		}
	}
	_ = msdk.PlayAudio[msdk.PCM16Sample](ctx, t, rtp.DefFrameDur, frames)
}

func (c *inboundCall) handleDTMF(tone dtmf.Event) {
	if c.forwardDTMF.Load() {
		_ = c.lkRoom.SendData(&livekit.SipDTMF{
			Code:  uint32(tone.Code),
			Digit: string([]byte{tone.Digit}),
		}, lksdk.WithDataPublishReliable(true))
		return
	}
	// We should have enough buffer here.
	select {
	case c.dtmf <- tone:
	default:
	}
}

func (c *inboundCall) transferCall(ctx context.Context, transferTo string, headers map[string]string, dialtone bool) (retErr error) {
	var err error

	tID := c.state.StartTransfer(transferTo)
	defer func() {
		c.state.EndTransfer(tID, retErr)
	}()

	if dialtone && c.started.IsBroken() && !c.done.Load() {
		const ringVolume = math.MaxInt16 / 2
		rctx, rcancel := context.WithCancel(ctx)
		defer rcancel()

		// mute the room audio to the SIP participant
		w := c.lkRoom.SwapOutput(nil)

		defer func() {
			if retErr != nil && !c.done.Load() {
				c.lkRoom.SwapOutput(w)
			} else if w != nil {
				w.Close()
			}
		}()

		go func() {
			aw := c.media.GetAudioWriter()

			err := tones.Play(rctx, aw, ringVolume, tones.ETSIRinging)
			if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
				c.log().Infow("cannot play dial tone", "error", err)
			}
		}()
	}

	err = c.cc.TransferCall(ctx, transferTo, headers, c.ctx.Done())
	if err != nil {
		c.log().Infow("inbound call failed to transfer", "error", err, "transferTo", transferTo)
		return err
	}

	c.log().Infow("inbound call transferred", "transferTo", transferTo)

	// Give time for the peer to hang up first, but hang up ourselves if this doesn't happen within 1 second
	time.AfterFunc(referByeTimeout, func() { c.Close() })

	return nil

}

func (s *Server) newInbound(invite *sip.Request, inviteTx sip.ServerTransaction, src netip.AddrPort) (*sipInbound, error) {
	sipCallIDHdr := invite.CallID()
	if sipCallIDHdr == nil {
		return nil, errors.New("no Call-ID header in INVITE")
	}
	sipCallID := sipCallIDHdr.Value()
	if sipCallID == "" {
		return nil, errors.New("no Call-ID header in INVITE")
	}
	fromHdr := invite.From()
	if fromHdr == nil {
		return nil, errors.New("no From header in INVITE")
	}
	fromParams := fromHdr.Params
	if fromParams == nil {
		return nil, errors.New("no tag in From in INVITE")
	}
	fromTag, ok := fromParams.Get("tag")
	if !ok || fromTag == "" {
		return nil, errors.New("no tag in From in INVITE")
	}
	toHdr := invite.To()
	if toHdr == nil {
		return nil, errors.New("no To header in INVITE")
	}

	if toHdr.Params == nil {
		toHdr.Params = sip.NewParams()
	}
	toTag, ok := toHdr.Params.Get("tag")
	if !ok || toTag == "" {
		// Check if the call-ID + from tag is in the provisional invites cache
		s.cmu.Lock()
		cachedTag, ok := s.provisionalInvites.Get([2]string{sipCallID, fromTag})
		s.cmu.Unlock()
		if ok && cachedTag != "" {
			// Use the cached tag to reuse the originally assigned SCL ID
			toTag = string(cachedTag)
		} else {
			// New dialog is being created. Generate a local tag
			toTag = lksip.NewCallID()
		}
		toHdr.Params.Add("tag", toTag)
	}

	legTr := legTransportFromReq(invite)
	contact := s.ContactURI(legTr)
	log := s.log.WithValues(
		"callID", toTag,
		"traceID", traceid.FromGUID(toTag),
		"sipCallID", sipCallID,
		"fromIP", src.Addr().String(),
		"toIP", invite.Destination(),
		"fromHost", fromHdr.Address.Host,
		"fromUser", fromHdr.Address.User,
		"toHost", toHdr.Address.Host,
		"toUser", toHdr.Address.User,
		"sipTag", fromTag,
		"direction", "inbound",
	)
	c := &sipInbound{
		s:         s,
		id:        LocalTag(toTag),
		invite:    invite,
		inviteTx:  inviteTx,
		to:        toHdr,
		from:      fromHdr,
		tag:       RemoteTag(fromTag),
		sipCallID: sipCallID,
		legTr:     legTr,
		contact: &sip.ContactHeader{
			Address: *contact.GetContactURI(),
		},
		cancelled: make(chan struct{}),
		referDone: make(chan error), // Do not buffer the channel to avoid reading a result for an old request
	}
	if h := invite.CSeq(); h != nil {
		c.inviteCSeq = h.SeqNo
		c.nextRequestCSeq = h.SeqNo + 1
	}
	log = LoggerWithHeaders(log, c)
	c.log = log

	return c, nil
}

type sipInbound struct {
	log        logger.Logger
	s          *Server
	id         LocalTag // SCL
	tag        RemoteTag
	sipCallID  string
	invite     *sip.Request
	inviteCSeq uint32
	inviteTx   sip.ServerTransaction
	contact    *sip.ContactHeader
	cancelled  chan struct{}
	from       *sip.FromHeader
	to         *sip.ToHeader
	legTr      Transport
	referDone  chan error

	mu              sync.RWMutex
	lastSDP         []byte
	inviteOk        *sip.Response
	nextRequestCSeq uint32
	referCseq       uint32
	ringing         chan struct{}
	acked           core.Fuse
	call            *inboundCall
}

func (c *sipInbound) SetCall(call *inboundCall) {
	c.call = call
}

func (c *sipInbound) fillHeaders(headers map[string]string) map[string]string {
	if c == nil || c.call == nil || len(c.call.attrsToHdr) == 0 {
		return headers
	}
	r := c.call.lkRoom.Room()
	if r == nil {
		return headers
	}
	return AttrsToHeaders(r.LocalParticipant.Attributes(), c.call.attrsToHdr, headers)
}

func (c *sipInbound) Drop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop()
}

func (c *sipInbound) drop() {
	c.stopRinging()
	if c.inviteTx != nil {
		c.inviteTx.Terminate()
	}
	c.inviteTx = nil
	c.invite = nil
	c.inviteOk = nil
	c.nextRequestCSeq = 0
}

func (c *sipInbound) respond(status sip.StatusCode, reason string) {
	c.respondWithData(status, reason, "", nil)
}

func (c *sipInbound) respondWithData(status sip.StatusCode, reason string, contentType string, body []byte) {
	if c.inviteTx == nil {
		return
	}

	r := sip.NewResponseFromRequest(c.invite, status, reason, body)
	if typ := sip.ContentTypeHeader(contentType); typ != "" {
		r.AppendHeader(&typ)
	}
	r.AppendHeader(sip.HeaderClone(allowHeader))
	if status >= 200 {
		// For an ACK to error statuses.
		r.AppendHeader(c.contact)
	}
	c.addExtraHeaders(r)
	_ = c.inviteTx.Respond(r)
}

func (c *sipInbound) RespondAndDrop(status sip.StatusCode, reason string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopRinging()
	c.respond(status, reason)
	c.drop()
	// Cache the response so a retry reusing the same Call-ID + From-tag
	// (e.g. provider failover after a 4xx) gets the cached reply replayed
	// instead of running through the handler again.
	if c.s != nil && c.s.rejectedInvites != nil && status >= 300 && c.sipCallID != "" {
		c.s.rejectedInvites.Add(
			[2]string{c.sipCallID, string(c.tag)},
			rejectedInviteResponse{status: status, reason: reason},
		)
	}
}

func (c *sipInbound) Address() sip.Uri {
	if c.invite == nil {
		return sip.Uri{}
	}
	return c.invite.Recipient
}

func (c *sipInbound) From() sip.Uri {
	if c.from == nil {
		return sip.Uri{}
	}
	return c.from.Address
}

func (c *sipInbound) To() sip.Uri {
	if c.to == nil {
		return sip.Uri{}
	}
	return c.to.Address
}

func (c *sipInbound) ID() LocalTag {
	return c.id
}

func (c *sipInbound) Tag() RemoteTag {
	return c.tag
}

func (c *sipInbound) SIPCallID() string {
	return c.sipCallID
}

func (c *sipInbound) InviteCSeq() uint32 {
	return c.inviteCSeq
}

func (c *sipInbound) RemoteHeaders() Headers {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.invite == nil {
		return nil
	}
	return c.invite.Headers()
}

func (c *sipInbound) Processing() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.respond(sip.StatusTrying, "Processing")
}

func (c *sipInbound) sendRinging() {
	c.respond(sip.StatusRinging, "Ringing")
}

func (c *sipInbound) attachTag() {
	// Set the SIP tag for following requests from us to remote (e.g. BYE).
	c.to.Params.Add("tag", string(c.id))
}

func (c *sipInbound) StartRinging() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.attachTag()
	c.sendRinging()
	stop := make(chan struct{})
	c.ringing = stop
	tx := c.inviteTx
	cancels := tx.Cancels()
	go func() {
		ticker := time.NewTicker(c.s.conf.SIPRingingInterval)
		defer ticker.Stop()
		for {
			select {
			case <-stop:
				return
			case r := <-cancels:
				close(c.cancelled) // Other goroutines will respond to the primary INVITE
				_ = tx.Respond(sip.NewResponseFromRequest(r, sip.StatusOK, "OK", nil))
				return
			case <-ticker.C:
			}
			c.mu.Lock()
			c.sendRinging()
			c.mu.Unlock()
		}
	}()
}

func (c *sipInbound) stopRinging() {
	if c.ringing != nil {
		close(c.ringing)
		c.ringing = nil
	}
}

func (c *sipInbound) GotACK() bool {
	return c.acked.IsBroken()
}

func (c *sipInbound) InviteACK() <-chan struct{} {
	return c.acked.Watch()
}

func (c *sipInbound) Cancelled() <-chan struct{} {
	return c.cancelled
}

func (c *sipInbound) addExtraHeaders(r *sip.Response) {
	if c.s.conf.AddRecordRoute {
		// Other in-dialog requests should be sent to this instance as well.
		recordRoute := c.contact.Address.Clone()
		if recordRoute.UriParams == nil {
			recordRoute.UriParams = sip.HeaderParams{}
		}
		recordRoute.UriParams.Add("lr", "")
		r.PrependHeader(&sip.RecordRouteHeader{
			Address: *recordRoute,
		})
	}
}

func (c *sipInbound) accepted(inviteOK *sip.Response) {
	c.inviteOk = inviteOK
	c.inviteTx = nil
}

func (c *sipInbound) AcceptAsKeepAlive(sdp []byte) {
	c.respondWithData(sip.StatusOK, "OK", "application/sdp", sdp)
}

func (c *sipInbound) OwnSDP() []byte {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.lastSDP
}

func (c *sipInbound) Accept(ctx context.Context, sdpData []byte, headers map[string]string) error {
	ctx, span := Tracer.Start(ctx, "sip.inbound.Accept")
	defer span.End()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.inviteTx == nil {
		return errors.New("call already rejected")
	}
	c.lastSDP = sdpData
	r := sip.NewResponseFromRequest(c.invite, sip.StatusOK, "OK", sdpData)

	// This will effectively redirect future SIP requests to this server instance (if host address is not LB).
	r.AppendHeader(c.contact)

	c.addExtraHeaders(r)

	r.AppendHeader(&contentTypeHeaderSDP)
	for k, v := range headers {
		r.AppendHeader(sip.NewHeader(k, v))
	}
	c.stopRinging()
	retryAfter := inviteOkRetryInterval
	maxRetries := inviteOKRetryAttempts
	if !c.s.conf.Experimental.InboundWaitACK {
		// Still retry, but limit it to ~750ms.
		maxRetries = inviteOKRetryAttemptsNoACK
	}
	if c.legTr != TransportUDP {
		maxRetries = 1
		// That actually becomes an ACK timeout here.
		retryAfter = inviteOkRetryIntervalMax
	}
	var acceptErr error
retries:
	for try := 1; ; try++ {
		if err := c.inviteTx.Respond(r); err != nil {
			return err
		}
		if c.legTr != TransportUDP && !c.s.conf.Experimental.InboundWaitACK {
			// Reliable transport and we are not waiting for ACK - return immediately.
			break retries
		}
		t := time.NewTimer(retryAfter)
		select {
		case <-c.inviteTx.Acks():
			t.Stop()
			break retries
		case <-c.acked.Watch():
			t.Stop()
			break retries
		case <-t.C:
		}
		if try > maxRetries {
			// Only set error if an option is enabled.
			// Otherwise, ignore missing ACK for now.
			if c.s.conf.Experimental.InboundWaitACK {
				acceptErr = errNoACK
			}
			break retries
		}
		retryAfter *= 2
		retryAfter = min(retryAfter, inviteOkRetryIntervalMax)
	}
	if acceptErr == nil && c.s.sconf.OnAcknowledged != nil { // Parley
		c.s.sconf.OnAcknowledged(string(c.id))
	}
	// Other side likely thinks it's accepted, so update our state accordingly, even if no ACK follows.
	c.accepted(r)
	return acceptErr
}

func (c *sipInbound) AcceptAck(req *sip.Request, tx sip.ServerTransaction) {
	c.acked.Break()
}

func (c *sipInbound) AcceptBye(req *sip.Request, tx sip.ServerTransaction) {
	_ = tx.Respond(sip.NewResponseFromRequest(req, 200, "OK", nil))
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop() // mark as closed
}

func (c *sipInbound) swapSrcDst(req *sip.Request) {
	dest := c.inviteOk.Destination()
	if contact := c.invite.Contact(); contact != nil {
		req.Recipient = contact.Address
		dest = ConvertURI(&contact.Address).GetDest()
	} else {
		req.Recipient = c.from.Address
	}
	if route := c.invite.RecordRoute(); route != nil {
		dest = ConvertURI(&route.Address).GetDest()
	}
	if c.s.sconf.Destination != nil { // Parley
		dest = c.s.sconf.Destination(c.invite, dest)
	}
	req.SetSource(c.inviteOk.Source())
	req.SetDestination(dest)
	req.RemoveHeader("From")
	req.AppendHeader((*sip.FromHeader)(c.to))
	req.RemoveHeader("To")
	req.AppendHeader((*sip.ToHeader)(c.from))
	// Remove all Via headers
	for req.RemoveHeader("Via") {
	}
	req.PrependHeader(c.generateViaHeader(req))

	rrHdrs := req.GetHeaders("Record-Route")
	for _, hdr := range rrHdrs {
		req.PrependHeader(&sip.RouteHeader{Address: hdr.(*sip.RecordRouteHeader).Address})
	}
	// Remove all Record-Route headers
	for req.RemoveHeader("Record-Route") {
	}
}

func (c *sipInbound) generateViaHeader(req *sip.Request) *sip.ViaHeader {
	newvia := &sip.ViaHeader{
		ProtocolName:    "SIP",
		ProtocolVersion: "2.0",
		Transport:       req.Transport(),
		Host:            c.s.sconf.SignalingIP.String(), // This can be rewritten by transport layer
		Port:            c.s.conf.SIPPort,               // This can be rewritten by transport layer
		Params:          sip.NewParams(),
	}
	// NOTE: Consider length of branch configurable
	newvia.Params.Add("branch", sip.GenerateBranchN(16))

	return newvia
}

func (c *sipInbound) setCSeq(req *sip.Request) {
	setCSeq(req, c.nextRequestCSeq)

	c.nextRequestCSeq++
}

func (c *sipInbound) sendBye(ctx context.Context, headers map[string]string) {
	ctx = context.WithoutCancel(ctx)
	if c.inviteOk == nil {
		return // call wasn't established
	}
	if c.invite == nil {
		return // rejected or closed
	}
	ctx, span := Tracer.Start(ctx, "sip.inbound.sendBye")
	defer span.End()
	// This function is for clients, so we need to swap src and dest
	r := sip.NewByeRequest(c.invite, c.inviteOk, nil)
	for k, v := range c.fillHeaders(nil) {
		r.AppendHeader(sip.NewHeader(k, v))
	}
	for k, v := range headers {
		r.AppendHeader(sip.NewHeader(k, v))
	}

	c.setCSeq(r)
	c.swapSrcDst(r)
	c.drop()
	sendBye(ctx, c.log, c, r)
}

func (c *sipInbound) sendStatus(ctx context.Context, result Result, headers map[string]string) {
	ctx = context.WithoutCancel(ctx)
	if c.inviteOk != nil {
		return // call already established
	}
	if c.inviteTx == nil {
		return // rejected or closed
	}
	ctx, span := Tracer.Start(ctx, "sip.inbound.sendStatus")
	defer span.End()

	r := result.NewResponse(c.invite)
	for k, v := range c.fillHeaders(nil) {
		r.AppendHeader(sip.NewHeader(k, v))
	}
	for k, v := range headers {
		r.AppendHeader(sip.NewHeader(k, v))
	}
	_ = c.inviteTx.Respond(r)
	c.drop()
}

func (c *sipInbound) WriteRequest(req *sip.Request) error {
	return c.s.sipSrv.TransportLayer().WriteMsg(req)
}

func (c *sipInbound) Transaction(req *sip.Request) (sip.ClientTransaction, error) {
	return c.s.sipSrv.TransactionLayer().Request(req)
}

func (c *sipInbound) newReferReq(transferTo string, headers map[string]string) (*sip.Request, error) {
	c.mu.Lock()
	defer c.mu.Unlock()

	if c.invite == nil || c.inviteOk == nil {
		return nil, psrpc.NewErrorf(psrpc.FailedPrecondition, "can't transfer non established call") // call wasn't established
	}

	from := c.invite.From()
	if from == nil {
		return nil, psrpc.NewErrorf(psrpc.InvalidArgument, "no From URI in invite")
	}
	headers = c.fillHeaders(headers)

	// This will effectively redirect future SIP requests to this server instance (if host address is not LB).
	req := NewReferRequest(c.invite, c.inviteOk, c.contact, transferTo, headers)
	c.setCSeq(req)
	c.swapSrcDst(req)

	cseq := req.CSeq()
	if cseq == nil {
		return nil, psrpc.NewErrorf(psrpc.Internal, "missing CSeq header in REFER request")
	}
	c.referCseq = cseq.SeqNo
	return req, nil
}

func (c *sipInbound) TransferCall(ctx context.Context, transferTo string, headers map[string]string, callDone <-chan struct{}) error {
	req, err := c.newReferReq(transferTo, headers)
	if err != nil {
		return err
	}

	_, err = sendRefer(ctx, c, req, c.s.closing.Watch())
	if err != nil {
		return err
	}

	select {
	case <-ctx.Done():
		return psrpc.NewErrorf(psrpc.Canceled, "refer canceled")
	case <-callDone:
		// REFER was accepted (2xx) but the call ended before it completed —
		// remote BYE, room deletion, or local hangup.
		c.log.Infow("refer canceled: call ended before transfer completed")
		return nil
	case err := <-c.referDone:
		if err != nil {
			return err
		}
	}

	return nil
}

func (c *sipInbound) handleNotify(req *sip.Request, tx sip.ServerTransaction) error {
	method, cseq, status, reason, err := handleNotify(req)
	if err != nil {
		return err
	}
	c.log.Infow("handling NOTIFY", "method", method, "status", status, "reason", reason, "cseq", cseq)

	switch method {
	default:
		return nil
	case sip.REFER:
		c.mu.RLock()
		defer c.mu.RUnlock()
		handleReferNotify(cseq, status, reason, c.referCseq, c.referDone)
		return nil
	}
}

// Close the inbound call cleanly. Depending on the call state it either sends BYE or terminates INVITE with busy status.
func (c *sipInbound) Close(ctx context.Context) {
	ctx = context.WithoutCancel(ctx)
	c.CloseWithStatus(ctx, Result{
		Code:   sip.StatusBusyHere,
		Status: "Rejected",
	}, nil)
}

// CloseWithStatus the inbound call cleanly. Depending on the call state it either sends BYE or terminates INVITE with a specified status.
func (c *sipInbound) CloseWithStatus(ctx context.Context, result Result, headers map[string]string) {
	ctx = context.WithoutCancel(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.inviteOk != nil {
		// TODO: add cause for a failure, if any
		c.sendBye(ctx, headers)
	} else if c.inviteTx != nil {
		c.sendStatus(ctx, result, headers)
	} else {
		c.drop()
	}
}

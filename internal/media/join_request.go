package media

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"io"

	"github.com/livekit/protocol/livekit"
	"google.golang.org/protobuf/proto"
)

// joinRequestParameter is the query parameter with the join request of client protocol v1.
const joinRequestParameter = "join_request"

// joinRequestLimit is the size of an unpacked join request, in bytes.
const joinRequestLimit = 256 << 10

var errJoinRequest = errors.New("is not a join request of at most 262144 bytes")

// unpackJoin returns the join request in a parameter.
func unpackJoin(packed string) (*livekit.JoinRequest, error) {
	data, err := base64.URLEncoding.DecodeString(packed)
	if err != nil {
		return nil, errJoinRequest
	}
	wrapped, join := new(livekit.WrappedJoinRequest), new(livekit.JoinRequest)
	if proto.Unmarshal(data, wrapped) != nil {
		return nil, errJoinRequest
	}
	plain := wrapped.GetJoinRequest()
	if wrapped.GetCompression() == livekit.WrappedJoinRequest_GZIP {
		unpacked, err := gzip.NewReader(bytes.NewReader(plain))
		if err != nil {
			return nil, errJoinRequest
		}
		if plain, err = io.ReadAll(io.LimitReader(unpacked, joinRequestLimit+1)); err != nil {
			return nil, errJoinRequest
		}
	}
	if len(plain) > joinRequestLimit || proto.Unmarshal(plain, join) != nil {
		return nil, errJoinRequest
	}
	return join, nil
}

// packJoin returns the parameter with a join request.
func packJoin(join *livekit.JoinRequest) (string, error) {
	plain, err := proto.Marshal(join)
	if err != nil {
		return "", err
	}
	wrapped, err := proto.Marshal(&livekit.WrappedJoinRequest{JoinRequest: plain})
	return base64.URLEncoding.EncodeToString(wrapped), err
}

// restrictJoin returns the parameter that is forwarded in place of a client's. It returns an error for one that costs the media
// server much more than its size. The server never sends to the candidates of a client without having received from them (ICE lite,
// RFC 8445, section 2.5): a caller could otherwise have it send to any address.
func restrictJoin(packed string) (string, error) {
	join, err := unpackJoin(packed)
	if err != nil {
		return "", err
	}
	var why *closeError
	if errors.As(checkJoin(join), &why) {
		return "", errors.New(why.reason)
	}
	if !join.GetConnectionSettings().GetDisableIceLite() {
		return packed, nil
	}
	join.ConnectionSettings.DisableIceLite = false
	return packJoin(join)
}

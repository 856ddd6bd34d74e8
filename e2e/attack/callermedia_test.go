package attack

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/livekit/protocol/livekit"
	"github.com/pion/rtcp"
	pionrtp "github.com/pion/rtp"
	"github.com/pion/webrtc/v4"
	"google.golang.org/protobuf/proto"

	"parley/e2e/binary"
)

// What a caller can send over its media connection keeps the server's memory small, and the server answers others meanwhile.
func TestFloodsOfACaller(t *testing.T) {
	s := start(t, nil)
	for _, name := range []string{"audio tracks", "video"} { // what the first calls need
		floodAsCaller(t, s, name, 3*time.Second)
	}
	took := time.Duration(size(8, 30)) * time.Second
	for _, name := range callerFloods {
		busy := processorTime(t, s)
		most := watchMemory(t, s, func() { floodAsCaller(t, s, name, took) })
		busy = processorTime(t, s) - busy
		t.Logf("%s: %d MB, %v of a processor in %v", name, most>>20, busy, took)
		if data := name == "data" || name == "texts"; data && busy > took*6/10 {
			t.Errorf("%s: %v of a processor", name, busy)
		}
		allowed := 150 << 20 // of data and texts that wait for the agent on a busy machine
		if name == "SSRCs" || name == "RTCP" || name == "NACKs" {
			allowed = 50 << 20
		}
		if most > allowed {
			t.Errorf("%s: %d MB more", name, most>>20)
		}
		send(t, s, "", "GET", "/health/live", "")
	}
}

// callerFloods are the attacks of floodAsCaller.
var callerFloods = []string{"audio tracks", "video", "data", "small data", "texts", "RTP", "payload types", "SSRCs", "sequence jumps", "header extensions", "RTCP", "NACKs"}

// floodAsCaller dispatches a call, joins it and floods it for d.
func floodAsCaller(t *testing.T, s *binary.Server, name string, d time.Duration) {
	t.Helper()
	kind, tracks := webrtc.RTPCodecTypeAudio, 1
	switch name {
	case "audio tracks":
		tracks = 30 // 50 end the signalling
	case "video":
		kind, tracks = webrtc.RTPCodecTypeVideo, 5
	}
	i := intrude(t, "ws"+strings.TrimPrefix(s.URL, "http"), dispatch(t, s).Token, kind, tracks)
	defer func() {
		_ = i.peer.Close()
		_ = i.socket.CloseNow()
	}()
	opus := []byte{0xf8, 0xff, 0xfe} // silence
	header := func(n int) pionrtp.Header {
		return pionrtp.Header{PayloadType: 111, SequenceNumber: uint16(n), Timestamp: uint32(n) * 960}
	}
	switch name {
	case "data":
		i.floodData(packet(t, &livekit.DataPacket{Value: &livekit.DataPacket_User{User: &livekit.UserPacket{Payload: make([]byte, 15_000)}}}), 1000, d)
	case "small data":
		i.floodData(packet(t, &livekit.DataPacket{Value: &livekit.DataPacket_User{User: &livekit.UserPacket{Payload: make([]byte, 10)}}}), 20_000, d)
	case "texts":
		i.floodData(packet(t, &livekit.DataPacket{Value: &livekit.DataPacket_StreamHeader{StreamHeader: &livekit.DataStream_Header{
			StreamId: "s", Topic: "other", ContentHeader: &livekit.DataStream_Header_TextHeader{TextHeader: &livekit.DataStream_TextHeader{}}, InlineContent: make([]byte, 1000)}}}), 5000, d)
	case "RTP", "audio tracks", "video":
		i.floodRTP(10_000, d, func(n int) (pionrtp.Header, uint32, []byte) {
			h := header(n / len(i.tracks))
			if kind == webrtc.RTPCodecTypeVideo {
				h.PayloadType = 96
				return h, 0, make([]byte, 1100)
			}
			return h, 0, opus
		})
	case "payload types":
		i.floodRTP(10_000, d, func(n int) (pionrtp.Header, uint32, []byte) {
			h := header(n)
			h.PayloadType = uint8(n % 128)
			return h, 0, make([]byte, 1000)
		})
	case "SSRCs":
		i.floodRTP(10_000, d, func(n int) (pionrtp.Header, uint32, []byte) { return header(n), rand.Uint32(), opus })
	case "sequence jumps":
		i.floodRTP(10_000, d, func(n int) (pionrtp.Header, uint32, []byte) {
			return pionrtp.Header{PayloadType: 111, SequenceNumber: uint16(rand.Uint32()), Timestamp: rand.Uint32()}, 0, opus
		})
	case "header extensions":
		i.floodRTP(10_000, d, func(n int) (pionrtp.Header, uint32, []byte) {
			h := header(n)
			h.Extension, h.ExtensionProfile = true, pionrtp.ExtensionProfileTwoByte
			for id := uint8(1); id <= 4; id++ {
				_ = h.SetExtension(id, make([]byte, 255))
			}
			return h, 0, opus
		})
	case "RTCP":
		i.floodRTCP(10_000, d, func(n int) []rtcp.Packet {
			reports := make([]rtcp.ReceptionReport, 10)
			for r := range reports {
				reports[r].SSRC = rand.Uint32()
			}
			return []rtcp.Packet{&rtcp.SenderReport{SSRC: rand.Uint32(), NTPTime: rand.Uint64(), Reports: reports}, &rtcp.ReceiverReport{SSRC: 1, Reports: reports}}
		})
	case "NACKs":
		i.floodRTCP(10_000, d, func(n int) []rtcp.Packet {
			lost := make([]rtcp.NackPair, 200)
			for l := range lost {
				lost[l] = rtcp.NackPair{PacketID: uint16(n + 17*l), LostPackets: 0xffff}
			}
			return []rtcp.Packet{&rtcp.TransportLayerNack{MediaSSRC: rand.Uint32(), Nacks: lost}, &rtcp.PictureLossIndication{MediaSSRC: rand.Uint32()}}
		})
	}
}

func packet(t *testing.T, p *livekit.DataPacket) []byte {
	t.Helper()
	data, err := proto.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

package database

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	mathrand "math/rand/v2"
	"sync/atomic"
)

// made counts the ids of this process from a random start, so that ids of the same time sort in order of creation.
var made atomic.Uint32

func init() { made.Store(mathrand.Uint32() >> 3) } // leaves 2²⁹ ids before it wraps

// NewID returns an id: a prefix and a version 7 UUID without hyphens (RFC 9562 5.7) of the transaction's time. Ids
// sort by transaction time regardless of nodes' clocks, and by creation within a transaction.
func (tx Tx) NewID(prefix string) string {
	var id [16]byte
	micro := uint64(tx.Now().UnixMicro())
	binary.BigEndian.PutUint64(id[:], micro/1000<<16|7<<12|micro%1000*4096/1000) // 12 bits of sub-millisecond time: 6.2, method 3
	binary.BigEndian.PutUint32(id[8:], 2<<30|made.Add(1)&(1<<30-1))              // method 1, after the variant
	rand.Read(id[12:])                                                           // never fails (crypto/rand)
	return prefix + hex.EncodeToString(id[:])
}

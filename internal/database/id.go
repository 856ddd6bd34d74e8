package database

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	mathrand "math/rand/v2"
	"sync/atomic"
)

// made counts the ids of this process, from anywhere: those of a moment sort
// in the order in which they were made.
var made atomic.Uint32

func init() { made.Store(mathrand.Uint32() >> 3) } // 2²⁹ are left before it begins anew

// NewID is a new identifier: a prefix and a version 7 UUID without hyphens (RFC
// 9562 5.7) of the transaction's time. Ids of later transactions sort later,
// whatever the clocks of the nodes that make them, and so do later ones of the
// same transaction.
func (tx Tx) NewID(prefix string) string {
	var id [16]byte
	micro := uint64(tx.Now().UnixMicro())
	binary.BigEndian.PutUint64(id[:], micro/1000<<16|7<<12|micro%1000*4096/1000) // 12 bits for less than a millisecond: 6.2, method 3
	binary.BigEndian.PutUint32(id[8:], 2<<30|made.Add(1)&(1<<30-1))              // method 1, after the variant
	rand.Read(id[12:])                                                           // never fails, says crypto/rand
	return prefix + hex.EncodeToString(id[:])
}

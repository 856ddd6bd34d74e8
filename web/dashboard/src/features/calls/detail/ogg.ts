/** Stream is one logical stream of an Ogg Opus file (RFC 7845). */
export interface Stream {
  packets: Uint8Array[];
  /** Samples at 48 kHz that players drop at the beginning. */
  preSkip: number;
}

const ascii = (bytes: Uint8Array, at: number, length: number) =>
  String.fromCharCode(...bytes.subarray(at, at + length));

/** oggStreams returns the Opus packets of an Ogg file. A recording in several parts has a stream for each. */
export function oggStreams(file: Uint8Array): Stream[] {
  const found: Stream[] = [];
  let open: Uint8Array[] = [];
  for (let page = 0; page + 27 <= file.length && ascii(file, page, 4) === 'OggS';) {
    const segments = file[page + 26];
    let at = page + 27 + segments;
    let begin = at;
    for (let i = 0; i < segments && at <= file.length; i++) {
      const length = file[page + 27 + i];
      at += length;
      if (length === 255) continue; // the packet continues in the next segment
      take([...open, file.subarray(begin, at)]);
      open = [];
      begin = at;
    }
    if (begin < at) open.push(file.subarray(begin, at));
    page = at;
  }
  return found;

  function take(parts: Uint8Array[]) {
    const packet = parts.length === 1 ? parts[0] : joined(parts);
    switch (packet.length >= 8 ? ascii(packet, 0, 8) : '') {
      case 'OpusHead':
        found.push({ packets: [], preSkip: packet.length >= 12 ? packet[10] | (packet[11] << 8) : 0 });
        break;
      case 'OpusTags':
        break;
      default:
        if (packet.length > 0) found.at(-1)?.packets.push(packet);
    }
  }
}

function joined(parts: Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((n, p) => n + p.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

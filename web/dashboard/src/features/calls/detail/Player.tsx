import { ActionIcon, Group, Loader, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ZoomIn, ZoomOut } from 'lucide-react';
import { type MouseEvent, type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { sendSigned } from '../../../api/client';
import { duration, milliseconds, time } from '../../../format';
import { callTexts } from '../texts';
import { texts } from '../../../ui/texts';
import { spans } from './waterfall';
import { incidentText } from './incidents';
import { inCall, length, type Place } from './places';
import { type Entry, overlaps, type Turn } from './turns';
import { canDecode, loudness, outline, type Part } from './waveform';

const t = callTexts;

/** Sound is a call's recording as far as it is loaded. */
export interface Sound {
  state: 'later' | 'loading' | 'none' | 'there';
  src: string;
  /** The waveform; undefined until it is decoded, and where the browser cannot decode it. */
  parts?: Part[];
  decoding: boolean;
}

/** useSound loads the recording of a call that is over, and decodes its waveform. */
export function useSound(id: string, over: boolean): Sound {
  const src = `/api/v1/calls/${id}/recording`;
  const file = useQuery({
    queryKey: ['recording', id],
    queryFn: async ({ signal }) => {
      const answer = await sendSigned(new Request(src, { signal }));
      return answer.ok ? new Uint8Array(await answer.arrayBuffer()) : null;
    },
    enabled: over,
    staleTime: Infinity,
    gcTime: 0,
  });
  const bytes = file.data;
  const wave = useQuery({
    queryKey: ['waveform', id],
    queryFn: ({ signal }) => loudness(bytes as Uint8Array, signal),
    enabled: Boolean(bytes) && canDecode(),
    staleTime: Infinity,
    gcTime: 60_000,
    retry: false,
  });
  return {
    state: !over ? 'later' : file.isPending ? 'loading' : bytes ? 'there' : 'none',
    src,
    parts: wave.data,
    decoding: wave.isFetching,
  };
}

interface Props {
  sound: Sound;
  places: Place[];
  turns: Turn[];
  entries: Entry[];
  started: number;
  /** The length of the call in seconds. */
  length: number;
  audio: RefObject<HTMLAudioElement | null>;
  selected?: number;
  /** A time of the call that is marked, in seconds. */
  marked?: number;
  /** Is called with the turn at a place that was clicked, and the place in seconds. */
  choose: (turn: Turn, at: number) => void;
}

const zooms = [1, 2, 4, 8, 16, 32];
const columns = 1600;
const marking = ['tool_call', 'handoff', 'error', ...overlaps];

/** Player has the recording, the waveform of both sides, the turns and what happened, on one axis of time. */
export function Player({
  sound,
  places,
  turns,
  entries,
  started,
  length: whole,
  audio,
  selected,
  marked,
  choose,
}: Props) {
  const [zoom, setZoom] = useState(0);
  const scroller = useRef<HTMLDivElement>(null);
  const cursor = useRef<HTMLDivElement>(null);
  const total = Math.max(1, whole, ...places.map((p) => p.at + length(p.part)));
  const seconds = (at: number) => Math.max(0, (at - started) / 1000);
  const left = (s: number) => `${Math.min(100, (s / total) * 100)}%`;
  const waves = useMemo(
    () =>
      places.map(({ part }) => {
        const wide = Math.min(16_000, Math.ceil(columns * zooms[zoom] * Math.min(1, length(part) / total)));
        return { wide, caller: outline(part.caller, wide), agent: outline(part.agent, wide) };
      }),
    [places, zoom, total],
  );

  // The cursor follows what is played, without rendering.
  useEffect(() => {
    const element = audio.current;
    if (!element) return;
    let frame = 0;
    const draw = () => {
      if (cursor.current) cursor.current.style.left = left(inCall(places, element.currentTime));
      frame = element.paused ? 0 : requestAnimationFrame(draw);
    };
    const start = () => {
      cancelAnimationFrame(frame);
      draw();
    };
    element.addEventListener('play', start);
    element.addEventListener('seeked', start);
    draw();
    return () => {
      cancelAnimationFrame(frame);
      element.removeEventListener('play', start);
      element.removeEventListener('seeked', start);
    };
  });

  const chosen = turns.find((turn) => turn.number === selected);
  const chosenFrom = chosen && (turns[chosen.number - 1]?.end ?? started);
  /** scrollTo moves a time of the call into the middle of what is seen of the axis. */
  const scrollTo = (at: number | undefined) => {
    const box = scroller.current;
    if (box && at !== undefined && zoom > 0) box.scrollLeft = (at / total) * box.scrollWidth - box.clientWidth / 2;
  };
  useEffect(() => scrollTo(chosen && seconds(chosen.at)), [selected, zoom]);
  useEffect(() => scrollTo(marked), [marked, zoom]);

  const click = (e: MouseEvent<HTMLDivElement>) => {
    const box = e.currentTarget.getBoundingClientRect();
    const at = ((e.clientX - box.left) / box.width) * total;
    const turn = turns.find((one) => seconds(one.end) >= at) ?? turns.at(-1);
    if (turn) choose(turn, at);
  };
  const marks = entries.filter((e) => marking.includes(e.type));
  return (
    <>
      {sound.state === 'there' && (
        <audio
          ref={audio}
          controls
          preload="metadata"
          src={sound.src}
          style={{ width: '100%', display: 'block' }}
          aria-label={t.recording}
        />
      )}
      {sound.state === 'later' && (
        <Text size="sm" c="dimmed">
          {t.recordingLater}
        </Text>
      )}
      {sound.state === 'none' && (
        <Text size="sm" c="dimmed">
          {t.noRecording}
        </Text>
      )}
      {sound.state === 'loading' && <Loader size="sm" role="status" aria-label={texts.common.loading} />}
      {sound.state === 'there' && !sound.parts && !sound.decoding && (
        <Text size="sm" c="dimmed" mt="xs">
          {canDecode() ? t.waveformFailed : t.waveformInsecure}
        </Text>
      )}
      <Group justify="space-between" mt="md" mb={6} wrap="nowrap">
        <Group gap="sm">
          <span className="key">
            <span className="swatch" style={{ background: 'var(--mine)' }} />
            {t.caller}
          </span>
          <span className="key">
            <span className="swatch" style={{ background: 'var(--agent)' }} />
            {t.agent}
          </span>
          {marking
            .filter((type) => marks.some((e) => e.type === type))
            .map((type) => (
              <span key={type} className="key">
                <span className={`moment ${type}`} />
                {t.marks[type]}
              </span>
            ))}
        </Group>
        <Group gap={4} wrap="nowrap">
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t.zoomOut}
            disabled={zoom === 0}
            onClick={() => setZoom(zoom - 1)}
          >
            <ZoomOut size={16} />
          </ActionIcon>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t.zoomIn}
            disabled={zoom === zooms.length - 1}
            onClick={() => setZoom(zoom + 1)}
          >
            <ZoomIn size={16} />
          </ActionIcon>
        </Group>
      </Group>
      {/* Its parts are reached by the keyboard as the turns below it; it scrolls by the keyboard. */}
      <div className="axis-scroll" ref={scroller} tabIndex={0} role="group" aria-label={t.axis}>
        <div className="axis" style={{ width: `${zooms[zoom] * 100}%` }} onClick={click}>
          {chosen && chosenFrom !== undefined && (
            <div
              className="chosen"
              style={{ left: left(seconds(chosenFrom)), width: left(Math.max(0.2, (chosen.end - chosenFrom) / 1000)) }}
            />
          )}
          {marked !== undefined && <div className="marked" style={{ left: left(marked) }} />}
          {places.length > 0 &&
            (['caller', 'agent'] as const).map((side) => (
              <div key={side} className={`wave ${side}`}>
                {places.map((place, i) => (
                  <svg
                    key={place.at}
                    viewBox={`0 0 ${waves[i].wide} 2`}
                    preserveAspectRatio="none"
                    role="img"
                    aria-label={side === 'caller' ? t.waveCaller : t.waveAgent}
                    style={{ left: left(place.at), width: left(length(place.part)) }}
                  >
                    <path d={waves[i][side]} />
                  </svg>
                ))}
              </div>
            ))}
          <div className="lane turns-lane">
            {turns.flatMap((turn) =>
              (turn.measured ? spans(turn.measured) : []).map((s) => (
                <span
                  key={`${turn.number} ${s.part}`}
                  className={`bar ${s.part}`}
                  title={t.partOf(turn.number, t[s.part], milliseconds(s.to - s.from))}
                  style={{ left: left(seconds(turn.at) + s.from / 1000), width: left((s.to - s.from) / 1000) }}
                />
              )),
            )}
          </div>
          <div className="lane marks-lane">
            {marks.map((e, i) => (
              <span
                key={i}
                className={`moment ${e.type}`}
                style={{ left: left(seconds(Date.parse(e.timestamp))) }}
                title={`${time(e.timestamp)} ${overlaps.includes(e.type) ? incidentText(e) : (e.name ?? e.agent ?? e.message ?? '')}`}
              />
            ))}
          </div>
          <div className="lane ticks">
            {ticks(total, zooms[zoom]).map((s) => (
              <span key={s} style={{ left: left(s) }}>
                {duration(s)}
              </span>
            ))}
          </div>
          {sound.state === 'there' && <div className="cursor" ref={cursor} />}
        </div>
      </div>
    </>
  );
}

/** ticks are the times that the axis names: at most six on each screen of it. */
function ticks(total: number, zoom: number): number[] {
  const most = 6 * zoom;
  const gap = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600].find((g) => total / g <= most) ?? 7200;
  return Array.from({ length: Math.floor(total / gap) + 1 }, (_, i) => i * gap).filter((s) => s < total * 0.97);
}

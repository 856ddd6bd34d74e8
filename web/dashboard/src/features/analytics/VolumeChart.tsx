import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import type { components } from '../../generated/schema';
import { analyticsTexts } from './texts';

const t = analyticsTexts;

export type Interval = 'hour' | 'day' | 'week';

/** moments writes the beginnings of intervals: the hour's in this browser's time, days as the server cuts them. */
export function moments(interval: Interval): Intl.DateTimeFormat {
  return interval === 'hour'
    ? new Intl.DateTimeFormat(undefined, {
        month: 'short',
        day: 'numeric',
        hour: '2-digit',
        minute: '2-digit',
        hourCycle: 'h23',
      })
    : new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' });
}

/** VolumeChart draws calls over time. Those who cannot see it have the table below. */
export function VolumeChart({ data, interval }: { data: components['schemas']['VolumeItem'][]; interval: Interval }) {
  const at = moments(interval);
  const points = data.map((d) => ({
    ...d,
    other: d.total - d.completed - d.failed,
    at: at.format(new Date(d.timestamp)),
  }));
  const total = data.reduce((n, d) => n + d.total, 0);
  const kinds = [
    ['llm', t.completed],
    ['endpointing', t.other],
    ['tts', t.failed],
  ] as const;
  return (
    <>
      <div style={{ display: 'flex', gap: 16, marginBottom: 8 }}>
        {kinds.map(([colour, label]) => (
          <span key={colour} className="key">
            <span className="swatch" style={{ background: `var(--${colour})` }} />
            {label}
          </span>
        ))}
      </div>
      <div role="img" aria-label={t.chart(total)} style={{ height: 240 }}>
        <ResponsiveContainer width="100%" height="100%">
          <BarChart data={points} margin={{ top: 8, right: 4, bottom: 0, left: 0 }} accessibilityLayer={false}>
            <CartesianGrid vertical={false} stroke="var(--line)" />
            <XAxis
              dataKey="at"
              tick={{ fontSize: 12, fill: 'var(--quiet)' }}
              tickLine={false}
              axisLine={{ stroke: 'var(--line)' }}
              minTickGap={40}
            />
            <YAxis
              allowDecimals={false}
              width={34}
              tick={{ fontSize: 12, fill: 'var(--quiet)' }}
              tickLine={false}
              axisLine={false}
            />
            <Tooltip
              cursor={{ fill: 'var(--hover)' }}
              isAnimationActive={false}
              contentStyle={{
                background: 'var(--panel)',
                border: '1px solid var(--line)',
                borderRadius: 8,
                fontSize: 13,
              }}
              itemStyle={{ color: 'inherit' }}
            />
            <Bar dataKey="completed" name={t.completed} stackId="calls" fill="var(--llm)" isAnimationActive={false} />
            <Bar dataKey="other" name={t.other} stackId="calls" fill="var(--endpointing)" isAnimationActive={false} />
            <Bar dataKey="failed" name={t.failed} stackId="calls" fill="var(--tts)" isAnimationActive={false} />
          </BarChart>
        </ResponsiveContainer>
      </div>
    </>
  );
}

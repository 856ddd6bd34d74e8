/** once makes a value when it is first asked for: a DateTimeFormat takes long to make. */
function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

const clock = once(
  () => new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' }),
);
const day = once(() => new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' }));
const both = once(() => new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' }));

export const time = (at: string) => clock().format(new Date(at));
export const date = (at: string) => day().format(new Date(at));
export const moment = (at: string) => both().format(new Date(at));

/** duration writes seconds as 1:05 or 1:02:05. */
export function duration(seconds: number | null | undefined): string {
  if (seconds == null) return '–';
  const whole = Math.max(0, Math.round(seconds));
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (n: number) => String(n).padStart(2, '0');
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

/** milliseconds writes a latency, in seconds from one second on. */
export function milliseconds(ms: number | null | undefined): string {
  if (ms == null) return '–';
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(2)} s`;
}

/** money writes an amount with two to four significant digits after its zeros, and what is not known as such. */
export function money(cost: { total?: string | null; known: string; currency: string } | null | undefined): string {
  if (!cost) return '–';
  const amount = Number(cost.total ?? cost.known);
  const text = new Intl.NumberFormat(undefined, {
    style: 'currency',
    currency: cost.currency,
    minimumFractionDigits: 2,
    maximumFractionDigits: amount !== 0 && Math.abs(amount) < 1 ? 6 : 2,
  }).format(amount);
  return cost.total == null ? `${text} + ?` : text;
}

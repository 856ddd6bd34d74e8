import { memo, type MouseEvent } from 'react';
import type { components } from '../../generated/schema';
import { duration, moment, money } from '../../format';
import { classTexts } from './answered';
import { answersOf, resultKeys } from './results';
import { callsTexts } from './texts';
import { statusText } from './Status';
import { texts } from '../../ui/texts';

const t = callsTexts;
type Item = components['schemas']['CallItem'];

const who = (c: Item) => c.agent_history?.join(' → ') || c.agent_name || c.workflow_slug || c.id.slice(0, 8);

/** CallTable lists calls. It is plain elements, and a row is drawn again only when its call has changed: pages follow each other at once. */
export function CallTable({ calls, open }: { calls: Item[]; open: (id: string) => void }) {
  const analysed = resultKeys(calls).length > 0;
  return (
    <table className="list">
      <thead>
        <tr>
          <th>{t.agent}</th>
          <th>{texts.common.status}</th>
          <th className="wide-only">{t.type}</th>
          <th className="wide-only">{t.user}</th>
          {analysed && <th className="wide-only">{t.results}</th>}
          <th className="wide-only">{t.started}</th>
          <th className="right">{t.duration}</th>
          <th className="right wide-only">{t.cost}</th>
        </tr>
      </thead>
      <tbody>
        {calls.map((c) => (
          <Row key={c.id} call={c} analysed={analysed} open={open} />
        ))}
      </tbody>
    </table>
  );
}

const Row = memo(function Row({
  call: c,
  analysed,
  open,
}: {
  call: Item;
  analysed: boolean;
  open: (id: string) => void;
}) {
  const { shown, more } = answersOf(c);
  const started = c.started_at ? moment(c.started_at) : '';
  // Clicks that open a tab or a window are the browser's.
  const follow = (e: MouseEvent) => {
    e.stopPropagation();
    if (e.metaKey || e.ctrlKey || e.shiftKey || e.altKey) return;
    e.preventDefault();
    open(c.id);
  };
  return (
    <tr onClick={() => open(c.id)}>
      <td className="who-spoke">
        <a href={`/calls/${c.id}`} onClick={follow}>
          <span className="one-line name">{who(c)}</span>
          <span className="narrow-only when-began">{started}</span>
        </a>
      </td>
      <td>
        <span className="state">
          <span className={c.held ? 'dot held' : `dot ${c.status}`} />
          {statusText(c.status, c.held)}
          {c.status_reason && <span className="dim">{c.status_reason.replaceAll('_', ' ')}</span>}
        </span>
      </td>
      <td className="wide-only dim">
        {c.call_type === 'sip' ? (c.phone_number ?? t.phone) : t.browser}
        {c.answered_by && ` (${classTexts[c.answered_by.class]})`}
      </td>
      <td className="wide-only dim one-line user">{c.user_id ?? '–'}</td>
      {analysed && (
        <td className="wide-only results">
          {shown.map(({ key, name, value }) => (
            <span key={key} title={key} className="answer">
              <span className="dim">{name}</span> {value}
            </span>
          ))}
          {more > 0 && <span className="dim">{t.moreResults(more)}</span>}
        </td>
      )}
      <td className="wide-only dim numbers">{started || '–'}</td>
      <td className="right numbers">{duration(c.duration_seconds)}</td>
      <td className="right numbers wide-only">{money(c.cost)}</td>
    </tr>
  );
});

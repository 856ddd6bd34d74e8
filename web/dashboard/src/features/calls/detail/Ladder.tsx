import { Code, Text, UnstyledButton } from '@mantine/core';
import { ArrowLeft, ArrowRight } from 'lucide-react';
import { useState } from 'react';
import { time } from '../../../format';
import { callTexts } from '../texts';

const t = callTexts;

/** SIPMessage is a SIP message of the call, as the API returns it. */
export type SIPMessage = {
  timestamp: string;
  direction: string;
  sip_call_id: string;
  transport: string;
  peer: string;
  start_line: string;
  message: string;
};

/** Ladder shows the SIP messages of a call in their order: those of the gateway on the left, and those of the other side on the right. */
export function Ladder({ messages }: { messages: SIPMessage[] }) {
  const [open, setOpen] = useState<number>();
  const legs = [...new Set(messages.map((m) => m.sip_call_id))];
  return (
    <div>
      <Text size="sm" c="dimmed" mb={4} style={{ display: 'flex', justifyContent: 'space-between' }}>
        <span>Parley</span>
        <span>{t.sipPeer}</span>
      </Text>
      {messages.map((m, i) => {
        const sent = m.direction === 'sent';
        return (
          <div key={i} style={{ borderTop: '1px solid var(--line)' }}>
            <UnstyledButton
              onClick={() => setOpen(open === i ? undefined : i)}
              aria-expanded={open === i}
              style={{
                display: 'flex',
                flexWrap: 'wrap',
                columnGap: 10,
                alignItems: 'center',
                width: '100%',
                padding: '6px 0',
                fontSize: 14,
              }}
            >
              <Text span size="sm" c="dimmed" className="numbers" style={{ flex: 'none' }}>
                {time(m.timestamp)}
              </Text>
              {!sent && <ArrowLeft size={15} aria-label={t.sipReceived} style={{ flex: 'none' }} />}
              <span style={{ flex: '1 1 200px', overflowWrap: 'anywhere', textAlign: sent ? 'left' : 'right' }}>
                {m.start_line}
              </span>
              {sent && <ArrowRight size={15} aria-label={t.sipSent} style={{ flex: 'none' }} />}
              <Text span size="xs" c="dimmed" style={{ flex: 'none', marginLeft: 'auto' }}>
                {legs.length > 1 && `${t.sipLeg(legs.indexOf(m.sip_call_id) + 1)}, `}
                {m.transport} {m.peer}
              </Text>
            </UnstyledButton>
            {open === i && (
              <Code block tabIndex={0} mb="xs">
                {m.message}
              </Code>
            )}
          </div>
        );
      })}
    </div>
  );
}

import { milliseconds } from '../../format';
import type { components } from '../../generated/schema';

type Class = components['schemas']['AnsweredBy']['class'];

/** answeredTexts is about who answered a phone call that was dialled. */
export const answeredTexts = {
  title: 'Answered by',
  any: 'Anyone',
  after: 'after',
  certain: (percent: number) => `${percent} % certain`,
};

/** classTexts names the classes of who answered. */
export const classTexts: Record<Class, string> = {
  human: 'Person',
  voicemail: 'Mailbox',
  mailbox_full: 'Full mailbox',
  screening: 'Call screening',
  menu: 'Menu',
  fax: 'Fax',
  silence: 'Silence',
  unknown: 'Unknown',
};

const words = (text: string) => text.replaceAll('_', ' ');

/** answeredText says who answered, what decided it, how certain that is, and how long after the answer. */
export const answeredText = (a: { class: Class; cause: string; confidence: number; after_ms: number }) =>
  `${classTexts[a.class]} (${words(a.cause)}, ${answeredTexts.certain(Math.round(a.confidence * 100))}, ${answeredTexts.after} ${milliseconds(a.after_ms)})`;

/** evidenceText says what one layer found. */
export const evidenceText = (e: components['schemas']['AnswerEvidence']) =>
  `${words(e.layer)}: ${classTexts[e.class]}, ${words(e.cause)}${e.detail ? ` (${e.detail})` : ''}, ${answeredTexts.certain(Math.round(e.confidence * 100))}`;

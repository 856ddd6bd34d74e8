import { describe, expect, test } from 'vitest';
import { mergePatch } from '../../api/patch';
import { answerAction, answerDetection } from '../../generated/limits';
import { actionFields, isOutside, phraseRows, phrasesOf, withAction } from './answerDetection';
import { draftConfig, filledIn } from './draft';
import { fromYAML, toYAML } from './yaml';

describe('another action for a class', () => {
  const message = { do: 'leave_message', text: 'Call us.', max_wait_ms: 5000 } as const;

  test('has the fields of that action alone', () => {
    expect(withAction({ voicemail: message }, 'voicemail', 'end')).toEqual({ voicemail: { do: 'end' } });
    expect(withAction(undefined, 'menu', 'navigate')).toEqual({ menu: { do: 'navigate' } });
  });

  test('leaves the other classes as they are', () =>
    expect(withAction({ voicemail: message, fax: { do: 'end' } }, 'fax', 'identify')).toEqual({
      voicemail: message,
      fax: { do: 'identify' },
    }));

  test('is none to continue', () => expect(withAction({ voicemail: message }, 'voicemail', 'continue')).toEqual({}));

  test('keeps what the form does not know', () => {
    const newer = { voicemail: { ...message, voice: 'low' } };
    expect(withAction(newer, 'voicemail', 'end')).toEqual({ voicemail: { voice: 'low', do: 'end' } });
    expect(withAction(newer, 'voicemail', 'continue')).toEqual({ voicemail: { voice: 'low', do: 'continue' } });
  });

  test('is sent with what is gone', () => {
    const actions = { voicemail: message, fax: { do: 'end' } as const };
    const before = { answer_detection: { actions } };
    const after = {
      answer_detection: { actions: withAction(withAction(actions, 'fax', 'continue'), 'voicemail', 'end') },
    };
    expect(mergePatch(before, after)).toEqual({
      answer_detection: { actions: { voicemail: { do: 'end', text: null, max_wait_ms: null }, fax: null } },
    });
  });
});

describe('own phrases', () => {
  const phrases = { en: { voicemail: ['leave * at the desk'], menu: ['press~ one'] }, 'de-AT': { robot: ['hallo'] } };

  test('come back from their rows as they were, of unknown classes too', () =>
    expect(phrasesOf(phraseRows(phrases))).toEqual(phrases));

  test('of two rows of the same are put together', () =>
    expect(
      phrasesOf([
        { language: 'en', of: 'menu', phrases: ['a'] },
        { language: 'en', of: 'menu', phrases: ['b', ''] },
      ]),
    ).toEqual({ en: { menu: ['a', 'b', ''] } }));

  test('without a language are sent, so that the API says what they lack; rows without phrases are not', () => {
    const rows = [
      { language: '', of: 'menu', phrases: ['a', ''] },
      { language: 'fr', of: 'menu', phrases: [''] },
    ];
    expect(filledIn({ prompt: { system: '' }, answer_detection: { phrases: phrasesOf(rows) } })).toEqual({
      answer_detection: { phrases: { '': { menu: ['a'] } } },
    });
  });

  test('of an imported file may be anything', () => {
    expect(phraseRows('none')).toEqual([]);
    expect(phraseRows({ en: ['a'], de: { menu: 'b' } })).toEqual([{ language: 'de', of: 'menu', phrases: [] }]);
  });
});

test('numbers have the limits of the API', () => {
  expect([1199, 1200, 30_000, 30_001, ''].map((n) => isOutside(n, answerDetection.window_ms))).toEqual([
    true,
    false,
    false,
    true,
    false,
  ]);
  // Every field of an action is one that the API has; after is the only one without a limit.
  const limited = Object.values(actionFields).flat();
  expect(limited.filter((field) => !(field in answerAction))).toEqual(['after']);
});

test('detection comes back from YAML as it was, with what the form does not know', async () => {
  const answer_detection = {
    enabled: true,
    window_ms: 4000,
    newer: { mode: 'fast' },
    phrases: { en: { robot: ['beep'] } },
    actions: { robot: { do: 'wave', hand: 'left' }, voicemail: { do: 'leave_message', text: 'Hello {{user.name}}' } },
  };
  const config = draftConfig(JSON.parse(JSON.stringify({ prompt: { system: 'x' }, answer_detection })));
  const back = await fromYAML(await toYAML({ name: 'desk', display_name: '', config }));
  expect(back.config.answer_detection).toEqual(answer_detection);
  expect(filledIn(draftConfig({ prompt: { system: 'x' } }))).not.toHaveProperty('answer_detection');
});

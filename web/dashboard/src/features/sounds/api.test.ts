import { describe, expect, it } from 'vitest';
import { audioOf, nameOf } from './api';

describe('nameOf', () => {
  it.each([
    ['Waiting Music (1).WAV', 'waiting-music-1'],
    ['jingle.opus', 'jingle'],
    ['Grüße.final.ogg', 'gr-e-final'],
    ['...wav', ''],
  ])('suggests for %s the name %s', (file, name) => expect(nameOf(file)).toBe(name));
});

describe('audioOf', () => {
  it('is the address of the audio', () => expect(audioOf('waiting')).toBe('/api/v1/sounds/waiting/audio'));
});

import { soundsTitle } from './title';

export const soundsTexts = {
  title: soundsTitle,
  lead: 'What callers on hold hear while they are being connected with a person. The editor of agents names one.',
  create: 'Upload a sound',
  newTitle: 'Upload a sound',
  empty: 'No sounds. Callers on hold hear the sound of this server.',
  file: 'File',
  fileHint: 'WAV or Ogg Opus, at most 5 MiB, 1 second to 5 minutes. It is played in a loop.',
  choose: 'Choose a file',
  name: 'Name',
  nameHint: 'Lowercase letters, digits, hyphens and underscores. Agents refer to it.',
  upload: 'Upload',
  uploaded: 'The sound is stored. Agents can use it now.',
  rights: 'You are responsible for the rights to the music.',
  listen: (name: string) => `Listen to ${name}`,
  facts: (lasts: string, when: string) => `${lasts}, uploaded ${when}`,
  deleteTitle: (name: string) => `Delete the sound ${name}?`,
  deleteText: 'This fails while an active agent uses it. Calls that are playing it continue.',
};

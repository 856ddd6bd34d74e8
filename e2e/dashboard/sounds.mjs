// A sound is uploaded, listened to, named by an agent, and deleted once no agent names it.
import { tour, url } from './lib.mjs';

/** wav is a WAV file of a tone, mono at 8 kHz. */
function wav(seconds) {
  const samples = 8000 * seconds;
  const file = Buffer.alloc(44 + 2 * samples);
  file.write('RIFF', 0);
  file.writeUInt32LE(36 + 2 * samples, 4);
  file.write('WAVEfmt ', 8);
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(8000, 24);
  file.writeUInt32LE(16000, 28);
  file.writeUInt16LE(2, 32);
  file.writeUInt16LE(16, 34);
  file.write('data', 36);
  file.writeUInt32LE(2 * samples, 40);
  for (let n = 0; n < samples; n++) file.writeInt16LE(Math.round(8000 * Math.sin((2 * Math.PI * 440 * n) / 8000)), 44 + 2 * n);
  return file;
}

await tour(async ({ page, look, wrong }) => {
  await page.getByRole('link', { name: 'Sounds', exact: true }).click();
  await page.getByText('No sounds.').waitFor();
  await look('sounds-empty');
  const dialog = page.getByRole('dialog');
  const choose = async (name, buffer) => {
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), dialog.getByRole('button', { name: /^File/ }).click()]);
    await chooser.setFiles({ name, mimeType: 'audio/wav', buffer });
  };
  await page.getByRole('button', { name: 'Upload a sound' }).click();
  await dialog.getByRole('button', { name: 'Upload' }).click();
  await dialog.getByText(/is empty|is required/).first().waitFor();
  await choose('Waiting Music.wav', Buffer.from('ID3 this is an MP3 file, they said'));
  if ((await dialog.getByLabel('Name').inputValue()) !== 'waiting-music') wrong(`the name is ${await dialog.getByLabel('Name').inputValue()}`);
  await dialog.getByRole('button', { name: 'Upload' }).click();
  await dialog.getByText('it is MP3, and only WAV and Ogg Opus are supported').waitFor();
  await look('sound-refused');
  await choose('Waiting Music.wav', wav(3));
  await dialog.getByRole('button', { name: 'Upload' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('waiting-music', { exact: true }).waitFor();
  await look('sounds');
  const lasts = await page.getByLabel('Listen to waiting-music').evaluate(async (audio) => {
    audio.muted = true;
    await audio.play();
    await new Promise((done) => audio.addEventListener('timeupdate', () => audio.currentTime > 0.2 && done()));
    audio.pause();
    return audio.duration;
  });
  if (Math.abs(lasts - 3) > 0.1) wrong(`the sound lasts ${lasts} s`);

  await page.goto(`${url}/agents/demo`);
  await page.getByRole('combobox', { name: 'Hold sound' }).click();
  await page.getByRole('option', { name: 'waiting-music', exact: true }).click();
  await look('agent-hold-sound');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved. New calls use it.').first().waitFor();
  await page.getByRole('link', { name: 'Sounds', exact: true }).click();
  await page.getByRole('button', { name: 'Delete waiting-music' }).click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('is used by the active agents demo').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).last().click();

  await page.goto(`${url}/agents/demo`);
  await page.getByRole('combobox', { name: 'Hold sound' }).fill('nothing');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('there is no sound nothing').waitFor();
  await page.getByRole('combobox', { name: 'Hold sound' }).fill('');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Unsaved changes').waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Sounds', exact: true }).click();
  await page.getByRole('button', { name: 'Delete waiting-music' }).click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No sounds.').waitFor();
});

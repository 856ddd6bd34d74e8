// The page of a phone call that was on hold: phonecall.mjs URL E-MAIL PASSWORD FOLDER CALL.
import { tour, url } from '../lib.mjs';

await tour(async ({ page, look, wrong }) => {
  await page.goto(`${url}/calls/${process.argv[6]}`);
  await page.getByRole('heading', { name: 'SIP messages' }).waitFor();
  for (const name of [/^.*INVITE sip:\+4930555000@/, /SIP\/2\.0 200/, /BYE sip:/]) await page.getByRole('button', { name }).first().waitFor();
  const invitation = page.getByRole('button', { name: /INVITE sip:\+4930555000@/ }).first();
  await invitation.click();
  await page.getByText('m=audio').first().waitFor();
  const quality = page.getByRole('table').filter({ hasText: 'From phone' });
  await quality.getByText('PCMU').waitFor();
  await page.getByText(/on hold/i).first().waitFor();
  await look('phone-call');
  if ((await page.getByRole('button', { name: /INVITE sip:/ }).count()) !== 3) wrong('the holds have no INVITE of their own');
});

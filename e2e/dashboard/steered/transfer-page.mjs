// The page of a person to whom a caller is transferred: transfer-page.mjs LINK "" "" FOLDER.
import { ask, tour, url as link } from '../lib.mjs';

const hostile = process.env.HOSTILE;
const [address, secret] = link.split('#');

await tour(async ({ context, page, wrong, look }) => {
  const other = await context.browser().newContext();
  const visit = async (at) => {
    const visited = await other.newPage();
    await visited.goto(at);
    return visited;
  };
  const harmless = async (name) => {
    if (await page.evaluate(() => window.attacked || document.querySelector('main img, main script'))) wrong(`${name}: words of the caller are HTML`);
  };

  const incomplete = await visit(address);
  await incomplete.getByRole('heading', { name: 'This link is not valid.' }).waitFor();
  const forged = await visit(`${address}#${'0'.repeat(secret.length)}`);
  await forged.getByRole('button', { name: 'Show the call' }).click();
  await forged.getByRole('heading', { name: 'This link is not valid.' }).waitFor();

  // Who only looks at the page, with scripts, does not use the link up.
  await visit(link);
  await page.goto(link);
  await page.getByRole('heading', { name: 'A caller for you' }).waitFor();
  await look('transfer-page-link');
  await page.getByRole('button', { name: 'Show the call' }).press('Enter');
  await page.getByRole('heading', { name: 'Caller', exact: true }).waitFor();
  await page.getByText('Ada wants a refund.').first().waitFor();
  await page.getByText('Ada Lovelace').waitFor();
  await page.getByText('For which order?').waitFor();
  await page.getByText(`I want a refund ${hostile}`).waitFor();
  await page.getByRole('status').getByText('front-desk').waitFor();
  if ((await page.getByText(hostile).count()) < 4) wrong('summary, context and transcript do not show what they contain');
  await harmless('at first');

  if ((await page.evaluate(() => document.activeElement?.tagName)) !== 'H1') wrong('the keyboard is nowhere');

  if (process.env.NOT_ACCEPTED) {
    await page.getByText('You have answered.').waitFor();
    await page.getByRole('heading', { name: 'This transfer is over.' }).waitFor();
    if (/Ada|refund/.test(await page.innerText('body'))) wrong('the page of who did not accept shows the call');
    await page.reload();
    await page.getByRole('heading', { name: 'This transfer is over.' }).waitFor();
    await look('transfer-page-over');
    return;
  }

  // It grows: what the person hears is said while the page is open.
  await page.getByRole('listitem').filter({ hasText: 'Ada wants a refund.' }).waitFor();
  await ask('connected');
  await page.getByText('You are connected with the caller.').waitFor();
  await harmless('connected');
  await look('transfer-page');

  const entries = await page.getByRole('listitem').allInnerTexts();
  await page.reload();
  await page.getByText('For which order?').waitFor();
  await page.getByRole('listitem').nth(entries.length - 1).waitFor();
  const again = await page.getByRole('listitem').allInnerTexts();
  if (again.join() !== entries.join()) wrong(`after a reload the transcript is ${again.join()}, before ${entries.join()}`);
  const tab = await context.newPage(); // the same browser, such as after the tab was closed
  await tab.goto(link);
  await tab.getByText('For which order?').waitFor();
  await tab.close();

  const second = await visit(link);
  await second.getByRole('button', { name: 'Show the call' }).click();
  await second.getByRole('heading', { name: 'This link was already used.' }).waitFor();
  if (/Ada|refund/.test(await second.innerText('body'))) wrong('a second browser sees the call');
  const german = await (await context.browser().newContext({ locale: 'de-CH' })).newPage();
  await german.goto(link);
  await german.getByRole('button', { name: 'Gespräch anzeigen' }).click();
  await german.getByRole('heading', { name: 'Dieser Link wurde schon benutzt.' }).waitFor();

  await ask('leave');
  await page.getByRole('status').getByText('The call has ended.').waitFor();
  await page.getByText('For which order?').waitFor();
  await page.reload();
  await page.getByText('The call has ended.').waitFor();
  await page.getByText('For which order?').waitFor();
  await look('transfer-page-ended');
  await harmless('at the end');
  if ((await page.evaluate(() => document.cookie)) !== '') wrong('scripts can read the session');
}, { signedIn: false, strict: true });

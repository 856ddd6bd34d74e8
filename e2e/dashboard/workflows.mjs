// Draw, save, break and mend a workflow; try a condition; see a live call light up its node.
import { tour, url } from './lib.mjs';

await tour(async ({ page, look, wrong }) => {
  await page.goto(`${url}/workflows/new`);
  const canvas = page.getByRole('region', { name: 'Canvas' });
  const node = (id) => canvas.getByLabel(`Node ${id}`, { exact: true });
  await page.getByText('Add the agent that answers first.').waitFor();
  await page.getByLabel(/^Name/).fill('Table booking');
  await page.getByLabel(/^Slug/).fill('Not a slug');
  // One agent is dragged in, the other added by keyboard, after the one that is chosen.
  await page.getByRole('button', { name: 'Add Demo front desk' }).dragTo(canvas);
  await node('demo').waitFor();
  await page.getByRole('button', { name: 'Add Demo booking desk' }).focus();
  await page.keyboard.press('Enter');
  await node('demo-booking').waitFor();
  await page.getByText('No faults').waitFor();

  // What the server refuses is at its field.
  await page.getByRole('button', { name: 'Create workflow' }).click();
  await page.getByText('Some fields need a look.').waitFor();
  await page.getByRole('button', { name: 'Workflow', exact: true }).click();
  await page.getByLabel(/^Slug/).fill('table-booking');
  await page.getByRole('button', { name: 'Create workflow' }).click();
  await page.waitForURL('**/workflows/table-booking');

  // A condition with completion, tried with a sample.
  await node('demo').click();
  await page.getByRole('button', { name: 'demo-booking' }).last().click();
  const condition = page.getByLabel('Condition');
  await condition.fill('');
  await condition.pressSequentially('user.a');
  await page.getByRole('option', { name: 'user.age' }).click();
  await condition.press('End');
  await condition.pressSequentially(' >= 18');
  if ((await condition.inputValue()) !== 'user.age >= 18') wrong(`completed to ${await condition.inputValue()}`);
  await page.getByRole('button', { name: 'Try with a sample context' }).click();
  await page.getByText('Holds', { exact: true }).waitFor();
  await page.getByLabel('Sample context', { exact: true }).fill('{"user": {"age": 17}}');
  await page.getByText('Does not hold').waitFor();
  await look('workflow-condition');
  await condition.fill('user.plan == gold');
  await page.getByText(/names gold/).waitFor();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('names gold').nth(1).waitFor();
  await condition.fill('');
  await page.getByText('No faults').waitFor();

  // Break it: a way back makes a circle, which is told while drawing and refused.
  await node('demo-booking').click();
  await page.getByRole('combobox', { name: 'Connect to' }).click();
  await page.getByRole('option', { name: 'demo', exact: true }).click();
  await page.getByText(/Ways lead in a circle: demo → demo-booking → demo/).first().waitFor();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Some fields need a look.').waitFor();
  await look('workflow-broken');
  // Mend it.
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('No faults').waitFor();
  await page.getByRole('button', { name: 'Arrange' }).click();
  await page.getByRole('switch', { name: 'Exit' }).check();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Unsaved changes').waitFor({ state: 'detached' });
  await page.reload();
  await node('demo-booking').waitFor();

  // A live call lights up its node.
  await page.getByRole('button', { name: 'Talk', exact: true }).click();
  await page.getByRole('button', { name: 'Write instead' }).click();
  await node('demo').getByText('1 call live here').waitFor();
  await look('workflow-live');
  await page.getByRole('button', { name: 'End call' }).click();
  await page.getByText('1 call live here').waitFor({ state: 'detached' });
  await page.getByText('JSON', { exact: true }).click();
  await page.getByRole('textbox', { name: 'JSON' }).waitFor();
  await look('workflow-json');
  await page.getByRole('link', { name: 'All workflows', exact: true }).click();
  await page.getByRole('link', { name: /Table booking/ }).waitFor();
  await look('workflows');
});

// A tool is made, its faults are at their fields, and it is changed and deleted.
import { send, tour } from './lib.mjs';

await tour(async ({ page, look, wrong }) => {
  await page.getByRole('link', { name: 'Tools', exact: true }).click();
  await page.getByRole('heading', { name: 'Tools' }).waitFor();
  await page.getByRole('link', { name: 'New tool', exact: true }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('look up');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByText('Check the marked fields.').waitFor();
  await page.getByRole('textbox', { name: 'Name' }).fill('look_up_order');
  await page.getByLabel('Description').fill('Finds an order by its number.');
  await page.getByRole('button', { name: 'Add parameter' }).click();
  const parameter = page.getByRole('group', { name: 'Parameter 1' });
  await parameter.getByLabel('Name').fill('order_id');
  // A list of objects has a schema within it. A fault in it is at the field, and it is kept when the tool is saved.
  await page.getByRole('button', { name: 'Add parameter' }).click();
  const lines = page.getByRole('group', { name: 'Parameter 2' });
  await lines.getByLabel('Name').fill('lines');
  await lines.getByLabel('Type').click();
  await page.getByRole('option', { name: 'array' }).click();
  await lines.getByLabel('Schema of the items').fill('{"type": "object", "properties": {"sku": {"type": "text"}}, "required": ["sku"]}');
  await page.getByLabel('URL').fill('https://api.example.com/orders/{{params.order_id}}');
  await page.getByRole('button', { name: 'Add action' }).first().click();
  const after = page.getByRole('group', { name: 'Action 1' }).getByRole('group', { name: 'Action 1' });
  await after.getByRole('combobox', { name: 'Action 1' }).click();
  await page.getByRole('option', { name: 'Keep a value' }).click();
  await page.getByRole('button', { name: 'Create' }).click();
  await after.getByText('is required').first().waitFor();
  await lines.getByText(/must be one of string/).waitFor();
  await look('tool-faults');
  await lines.getByLabel('Schema of the items').fill('{"type": "object", "properties": {"sku": {"type": "string"}}, "required": ["sku"]}');
  await after.getByLabel('Key').fill('order');
  await after.getByLabel('Value').fill('{{result.id}}');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.waitForURL('**/tools/look_up_order');
  await page.getByRole('heading', { name: 'look_up_order' }).waitFor();
  await look('tool');

  await page.getByLabel('Timeout').fill('5');
  await page.getByRole('link', { name: 'Tools', exact: true }).click();
  await page.getByRole('button', { name: 'Stay' }).last().click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved. New calls use it.').first().waitFor();
  await page.reload();
  if ((await page.getByLabel('Timeout').inputValue()) !== '5 s') wrong('a changed tool is not kept');
  if (!(await lines.getByLabel('Schema of the items').inputValue()).includes('"sku"')) wrong('the schema of a parameter is not kept');

  // Its request is tried at a server that the Go test runs; values of the caller's context are masked.
  await page.getByLabel('URL').fill(`${process.env.BACKEND}/orders/{{params.order_id}}?for={{user.token}}`);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Try', exact: true }).and(page.locator(':enabled')).waitFor();
  const trial = page.getByRole('region', { name: 'Try it' });
  await trial.getByLabel('order_id').fill('4711');
  await trial.getByLabel('lines').fill('[{"sku": "a-1"}]');
  await trial.getByLabel('Sample context').fill('{"user": {"token": "a-secret-value"}}');
  await page.getByRole('button', { name: 'Try', exact: true }).click();
  const outcome = page.getByRole('region', { name: 'Outcome' });
  await outcome.getByText(/GET .*\/orders\/4711\?for=%2A%2A%2A/).waitFor();
  await outcome.getByText('"id": "order-4711"').waitFor();
  await outcome.getByText('workflow.order').waitFor();
  if ((await outcome.textContent()).includes('a-secret-value')) wrong('a value of the context is shown');
  await look('tool-tried');

  await page.getByRole('link', { name: 'Tools', exact: true }).click();
  await page.getByText('look_up_order').waitFor();
  await look('tools');
  await page.getByText('look_up_order').click();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.waitForURL('**/tools');

  // A transfer says what the agent does once caller and person are connected; a mode without it removes it.
  await page.getByRole('link', { name: 'New tool', exact: true }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('to_a_person');
  await page.getByLabel('Description').fill('Connects the caller with a person.');
  const transfer = page.getByRole('group', { name: 'Action 1' });
  const choose = async (label, option) => {
    await transfer.getByRole('combobox', { name: label, exact: true }).click();
    await page.getByRole('option', { name: option }).click();
  };
  await choose('Action 1', 'Transfer to a phone number');
  await choose('How', 'A person is dialled into the call, and connected');
  await transfer.getByLabel('Numbers', { exact: true }).fill('+4930123456');
  await page.keyboard.press('Enter');
  await choose('Once they are connected, the agent', /goes on with the transcript/);
  await look('tool-transfer');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.waitForURL('**/tools/to_a_person');
  const saved = async () => (await send(page, 'GET', '/tools/to_a_person')).config.actions[0];
  if ((await saved()).after !== 'listen') wrong(`the transfer is ${JSON.stringify(await saved())}`);
  await choose('How', /REFER/);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Unsaved changes').waitFor({ state: 'detached' });
  if ('after' in (await saved()) || (await saved()).phone_number !== '+4930123456') wrong(`the transfer is ${JSON.stringify(await saved())}`);
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.waitForURL('**/tools');
});

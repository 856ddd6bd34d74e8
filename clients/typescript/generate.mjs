// Writes src/generated/description.ts from the API's description: the types of its requests and answers.
import { readFileSync, writeFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';

const [file] = process.argv.slice(2);
// Objects may have more fields than those that are described; the types have these, so that a misspelled one is found.
const description = JSON.parse(readFileSync(file, 'utf8'), (_, schema) => {
  if (schema?.properties && schema.additionalProperties === true) delete schema.additionalProperties;
  return schema;
});
// A field with a default may be left out of a request.
const types = await openapiTS(description, { defaultNonNullable: false });
writeFileSync('src/generated/description.ts', astToString(types));

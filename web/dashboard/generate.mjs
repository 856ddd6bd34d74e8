// Writes src/generated from the API's description: the types of its requests and answers, the values of its enumerations, and
// the limits of its fields.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';

const description = JSON.parse(readFileSync('build/openapi.json', 'utf8'));
mkdirSync('src/generated', { recursive: true });

// A field with a default may be left out of a request.
const types = await openapiTS(description, { defaultNonNullable: false });
writeFileSync('src/generated/schema.d.ts', astToString(types));

const lower = (name) => name[0].toLowerCase() + name.slice(1);

/** The enumerations of a schema's fields, also those that are lists: Schema.field is schemaField. */
const enumerations = Object.entries(description.components.schemas).flatMap(([schema, { properties = {} }]) =>
  Object.entries(properties).flatMap(([field, property]) => {
    const values = property.enum ?? property.items?.enum;
    const name = lower(schema) + field.replace(/(?:^|_)(\w)/g, (_, first) => first.toUpperCase());
    return values ? [`export const ${name} = ${JSON.stringify(values.filter((v) => v !== null))} as const;\n`] : [];
  }),
);
writeFileSync('src/generated/enums.ts', enumerations.join(''));

/** The limits of a schema's fields: schema has those of each field. Each page has the schemas that it imports. */
const limits = Object.entries(description.components.schemas).flatMap(([schema, { properties = {} }]) => {
  const fields = Object.entries(properties).flatMap(([field, { minimum, maximum, maxLength }]) => {
    const of = JSON.stringify({ minimum, maximum, maxLength });
    return of === '{}' ? [] : [`${JSON.stringify(field)}:${of}`];
  });
  return fields.length ? [`export const ${lower(schema)} = {${fields.join()}} as const;\n`] : [];
});
writeFileSync('src/generated/limits.ts', limits.join(''));

// Writes src/generated from the API's description: the types of its requests and answers, and the values of its enumerations.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';

const description = JSON.parse(readFileSync('build/openapi.json', 'utf8'));
mkdirSync('src/generated', { recursive: true });

// A field with a default may be left out of a request.
const types = await openapiTS(description, { defaultNonNullable: false });
writeFileSync('src/generated/schema.d.ts', astToString(types));

/** The enumerations of a schema's fields, also those that are lists: Schema.field is schemaField. */
const enumerations = Object.entries(description.components.schemas).flatMap(([schema, { properties = {} }]) =>
  Object.entries(properties).flatMap(([field, property]) => {
    const values = property.enum ?? property.items?.enum;
    const name =
      schema[0].toLowerCase() + schema.slice(1) + field.replace(/(?:^|_)(\w)/g, (_, first) => first.toUpperCase());
    return values ? [`export const ${name} = ${JSON.stringify(values.filter((v) => v !== null))} as const;\n`] : [];
  }),
);
writeFileSync('src/generated/enums.ts', enumerations.join(''));

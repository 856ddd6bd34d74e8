import { JsonInput } from '@mantine/core';
import { useState } from 'react';
import type { Parameter } from './api';
import { toolsTexts } from './texts';

const t = toolsTexts;

/** schemaOf is what an array or an object has within it, as JSON Schema; nothing while anything is allowed. */
function schemaOf(p: Parameter): string {
  const schema =
    p.type === 'array' ? p.items : p.properties && { properties: p.properties, required: p.required_properties };
  return schema ? JSON.stringify(schema, null, 2) : '';
}

/** partOf is the schema as the parameter has it; undefined for what is no object. */
function partOf(type: string, text: string): Partial<Parameter> | undefined {
  const none = { items: undefined, properties: undefined, required_properties: undefined };
  if (text.trim() === '') return none;
  try {
    const schema = JSON.parse(text) as Record<string, unknown> | null;
    if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return undefined;
    if (type === 'array') return { ...none, items: schema as Parameter['items'] };
    return {
      ...none,
      properties: (schema.properties ?? {}) as Parameter['properties'],
      required_properties: schema.required as Parameter['required_properties'],
    };
  } catch {
    return undefined;
  }
}

/** Within edits the schema of an array's items, or of an object's properties. */
export function Within({
  of: p,
  onChange,
  error,
  readOnly,
}: {
  of: Parameter;
  onChange: (part: Partial<Parameter>) => void;
  error?: string;
  readOnly: boolean;
}) {
  const [text, setText] = useState(schemaOf(p));
  const valid = partOf(p.type, text) !== undefined;
  return (
    <JsonInput
      label={p.type === 'array' ? t.items : t.properties}
      description={p.type === 'array' ? t.itemsHint : t.propertiesHint}
      value={text}
      readOnly={readOnly}
      error={valid ? error : t.noSchema}
      autosize
      minRows={2}
      maxRows={16}
      onChange={(changed) => {
        setText(changed);
        const part = partOf(p.type, changed);
        if (part) onChange(part);
      }}
    />
  );
}

import { JsonInput, UnstyledButton } from '@mantine/core';
import { useRef } from 'react';
import { schemaOf } from './draft';
import { placeOf } from './pointer';
import { analysesTexts } from './texts';

const t = analysesTexts;

/** SchemaField edits a JSON Schema as text. What is wrong with a part of it leads to that part. */
export function SchemaField({
  value,
  errors,
  readOnly,
  onChange,
}: {
  value: string;
  errors: Record<string, unknown>;
  readOnly: boolean;
  onChange: (text: string) => void;
}) {
  const field = useRef<HTMLTextAreaElement>(null);
  const select = async (path: string) => {
    const place = await placeOf(value, path);
    field.current?.focus();
    if (place) field.current?.setSelectionRange(...place);
  };
  const faults = Object.entries(errors).flatMap(([path, message]) => {
    if (path === 'schema') return [{ path: '', message: String(message) }];
    return path.startsWith('schema.') ? [{ path: path.slice('schema.'.length), message: String(message) }] : [];
  });
  return (
    <JsonInput
      ref={field}
      label={t.schema}
      description={t.schemaHint}
      placeholder={t.schemaExample}
      autosize
      minRows={4}
      maxRows={24}
      readOnly={readOnly}
      value={value}
      error={
        schemaOf(value) === undefined
          ? t.jsonWrong
          : faults.length > 0 &&
            faults.map(({ path, message }) => (
              <span key={path} style={{ display: 'block' }}>
                {path && (
                  <>
                    <UnstyledButton className="mono at-part" onClick={() => void select(path)}>
                      {path}
                    </UnstyledButton>
                    :{' '}
                  </>
                )}
                {message}
              </span>
            ))
      }
      onChange={onChange}
    />
  );
}

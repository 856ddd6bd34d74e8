import { Code, Combobox, Textarea, type TextareaProps, useCombobox } from '@mantine/core';
import { useRef, useState } from 'react';

/** Completions are what may stand at the caret, and where it would begin. */
export interface Completions {
  from: number;
  options: string[];
}

interface Props extends Omit<TextareaProps, 'value' | 'onChange'> {
  value: string;
  onChange: (value: string) => void;
  complete: (text: string, caret: number) => Completions;
}

/** CompletedText is a field for text that is completed as it is typed. An option that ends with a dot is completed further. */
export function CompletedText({ value, onChange, complete, readOnly, ...rest }: Props) {
  const box = useRef<HTMLTextAreaElement>(null);
  const [caret, setCaret] = useState(0);
  const list = useCombobox({ onDropdownClose: () => list.resetSelectedOption() });
  const { from, options } = complete(value, caret);
  const take = (option: string) => {
    const at = from + option.length;
    onChange(value.slice(0, from) + option + value.slice(caret));
    setCaret(at);
    requestAnimationFrame(() => box.current?.setSelectionRange(at, at));
    if (option.endsWith('.')) list.openDropdown();
    else list.closeDropdown();
  };
  return (
    <Combobox store={list} onOptionSubmit={take} position="bottom-start">
      <Combobox.Target>
        <Textarea
          {...rest}
          ref={box}
          value={value}
          readOnly={readOnly}
          onChange={(e) => {
            setCaret(e.currentTarget.selectionStart);
            onChange(e.currentTarget.value);
            list.openDropdown();
            list.updateSelectedOptionIndex();
          }}
          onSelect={(e) => setCaret(e.currentTarget.selectionStart)}
          onBlur={() => list.closeDropdown()}
        />
      </Combobox.Target>
      <Combobox.Dropdown hidden={options.length === 0 || Boolean(readOnly)}>
        <Combobox.Options>
          {options.map((o) => (
            <Combobox.Option key={o} value={o}>
              <Code>{o}</Code>
            </Combobox.Option>
          ))}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}

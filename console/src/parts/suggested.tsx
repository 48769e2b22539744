import { Autocomplete, type AutocompleteProps } from '@mantine/core';
import { useState } from 'react';

interface Props extends Omit<AutocompleteProps, 'value' | 'onChange' | 'onBlur' | 'onKeyDown' | 'onOptionSubmit'> {
  readonly value: string | undefined;
  /** Called with the chosen text, or the typed text when the person leaves the field. Undefined: no text. */
  readonly onChange: (value: string | undefined) => void;
}

/**
 * A text field with suggestions. The text counts when it is chosen, or when the person leaves the field or presses
 * Enter.
 */
export function Suggested({ value, onChange, ...input }: Props) {
  const [text, setText] = useState(value ?? '');
  const [known, setKnown] = useState(value);
  if (value !== known) {
    setKnown(value);
    setText(value ?? '');
  }
  const tell = (told: string) => {
    const next = told.trim() === '' ? undefined : told.trim();
    if (next !== value) onChange(next);
  };
  return (
    <Autocomplete
      {...input}
      value={text}
      onChange={setText}
      onOptionSubmit={tell}
      onBlur={() => tell(text)}
      onKeyDown={({ key }) => {
        if (key === 'Enter') tell(text);
      }}
    />
  );
}

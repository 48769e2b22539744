import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { type RefObject, useState } from 'react';
import { Icon } from './icons.js';

interface Props {
  readonly placeholder: string;
  /** The text in the address. */
  readonly value: string | undefined;
  /** Milliseconds without a keystroke after which the search runs. */
  readonly typingMs: number;
  readonly onFind: (words: string | undefined) => void;
  readonly input: RefObject<HTMLInputElement | null>;
}

/** A search field. The search runs when typing has stopped. */
export function Find({ placeholder, value, typingMs, onFind, input }: Props) {
  const [text, setText] = useState(value ?? '');
  const [known, setKnown] = useState(value);
  const [query, setQuery] = useState<string>();
  if (value !== known) {
    setKnown(value);
    // A change that began in this field must not replace what has been typed since then.
    if (value !== query) {
      setQuery(undefined);
      setText(value ?? '');
    }
  }
  const ask = useDebouncedCallback((typed: string) => {
    const words = typed === '' ? undefined : typed;
    setQuery(words);
    onFind(words);
  }, typingMs);
  return (
    <TextInput
      ref={input}
      label="Find"
      placeholder={placeholder}
      leftSection={<Icon name="search" size={16} />}
      style={{ flex: '1 1 220px' }}
      maxLength={200}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        ask(event.currentTarget.value);
      }}
    />
  );
}

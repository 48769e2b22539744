import { Select } from '@mantine/core';
import { wordsOf } from './words.js';

interface Props<Word extends string> {
  readonly label: string;
  /** What can be chosen, or by its name how it is called. */
  readonly options: readonly (Word | { readonly value: Word; readonly label: string })[];
  /** What undefined is called. */
  readonly none?: string;
  readonly value: Word | undefined;
  readonly onChange: (value: Word | undefined) => void;
}

/** A filter: one of some words, or none of them. */
export function Choice<Word extends string>({ label, options, none = 'All', value, onChange }: Props<Word>) {
  const data = options.map((each) => (typeof each === 'string' ? { value: each, label: wordsOf(each) } : each));
  return (
    <Select
      label={label}
      w={{ base: 150, sm: 170 }}
      data={[{ value: '', label: none }, ...data]}
      allowDeselect={false}
      searchable={data.length > 10}
      value={value ?? ''}
      onChange={(chosen) => onChange(chosen === '' || chosen === null ? undefined : chosen)}
    />
  );
}

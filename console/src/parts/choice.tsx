import { Select } from '@mantine/core';
import { wordsOf } from './words.js';

interface Props<Word extends string> {
  readonly label: string;
  /** The values, or values with their labels. */
  readonly options: readonly (Word | { readonly value: Word; readonly label: string })[];
  /** The label of undefined. */
  readonly none?: string;
  readonly value: Word | undefined;
  readonly onChange: (value: Word | undefined) => void;
}

/** A filter with one of several values, or none. */
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

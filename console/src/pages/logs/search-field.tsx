import { Autocomplete, Group, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { Schemas } from '@operational-events/client';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { eqlLanguage, facets, type Narrowed, type Window } from '../../api/insight.js';
import { isOther, pathOf } from '../../parts/conditions.js';
import { Icon } from '../../parts/icons.js';
import { whole } from '../../parts/numbers.js';
import { useKeys } from '../../parts/use-keys.js';
import {
  type Addition,
  additionOf,
  begunField,
  CLASSES,
  fieldSuggestions,
  METHODS,
  only,
  type Suggestion,
} from './tokens.js';

interface Props {
  readonly projectId: string;
  readonly window: Window;
  readonly query: Narrowed;
  readonly known: Schemas['FacetsOfEvents'] | undefined;
  readonly onAdd: (addition: Addition) => void;
}

const MAX_CHARACTERS = 1_000;
const TYPING_MS = 300;
const MAX_VALUES = 20;

/** A field that takes a text, a field with a value, or a condition in EQL. Enter adds it to the search. */
export function SearchField({ projectId, window, query, known, onAdd }: Props) {
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [isOpen, setIsOpen] = useState(false);
  useKeys({ '/': () => input.current?.focus() }, { title: 'Search', names: { '/': 'Search field' } });
  const { data: language } = useQuery(eqlLanguage(projectId));
  const begun = begunField(text, language);
  const [property] = useDebouncedValue(
    begun?.field.startsWith('properties.') === true ? pathOf(begun.field) : undefined,
    TYPING_MS,
  );
  const counted = useQuery({
    ...facets(projectId, window, query, property === undefined ? [] : [property]),
    enabled: property !== undefined,
  });
  const suggestions = (
    begun === undefined
      ? fieldSuggestions(text, language)
      : valuesOf(begun.field, known, counted.data?.facets).map(({ value, about }): Suggestion => ({
          value: `${begun.before}${value}`,
          about,
          addition: begun.isExcluded ? { clause: isOther(begun.field, value) } : only(begun.field, value),
        }))
  ).filter(({ value }) => begun === undefined || value.toLowerCase().includes(text.toLowerCase()));
  const byText = new Map(suggestions.map((suggestion) => [suggestion.value, suggestion]));

  const add = (addition: Addition) => {
    onAdd(addition);
    setText('');
  };
  return (
    <Autocomplete
      ref={input}
      aria-label="Search"
      placeholder="Text, field:value, or EQL"
      leftSection={<Icon name="search" size={16} />}
      style={{ flex: '1 1 260px' }}
      maxLength={MAX_CHARACTERS}
      value={text}
      dropdownOpened={isOpen && text !== ''}
      onDropdownOpen={() => setIsOpen(true)}
      onDropdownClose={() => setIsOpen(false)}
      data={[...byText.keys()]}
      filter={({ options }) => options}
      onChange={(next) => {
        setText(next);
        setIsOpen(true);
      }}
      renderOption={({ option }) => (
        <Group justify="space-between" gap="xs" wrap="nowrap" w="100%">
          <Text size="sm" ff="monospace" truncate dir="auto">
            {option.value}
          </Text>
          <Text size="xs" c="dimmed" style={{ flexShrink: 0 }}>
            {byText.get(option.value)?.about}
          </Text>
        </Group>
      )}
      onOptionSubmit={(value) => {
        const { addition } = byText.get(value) ?? {};
        // The library sets the text and closes the list after this call.
        queueMicrotask(() => {
          if (addition !== undefined) return add(addition);
          setText(value);
          setIsOpen(true);
        });
      }}
      onKeyDown={(event) => {
        // Enter on a suggestion takes the suggestion.
        const isChosen = input.current?.getAttribute('aria-activedescendant');
        if (event.key === 'Enter' && !isChosen && text.trim() !== '') add(additionOf(text, language));
      }}
    />
  );
}

/** Returns the values of a field that are known, most frequent first. */
function valuesOf(
  field: string,
  known: Schemas['FacetsOfEvents'] | undefined,
  counted: Schemas['FacetsOfEvents'] | undefined,
): readonly { readonly value: string | number | boolean; readonly about: string }[] {
  if (field === 'log.method') return METHODS.map((value) => ({ value, about: '' }));
  if (field === 'log.status_class') return CLASSES.map((value) => ({ value, about: '' }));
  const values =
    field === 'event' || field === 'severity' || field === 'status' || field === 'environment'
      ? known?.[field]
      : counted?.by?.find(({ field: path }) => path === pathOf(field))?.values;
  return (values ?? [])
    .slice(0, MAX_VALUES)
    .flatMap(({ value, count }) => (value === null ? [] : [{ value, about: whole(count) }]));
}

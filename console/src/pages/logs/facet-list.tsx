import './facet-list.css';
import { ActionIcon, Button, Card, Group, Stack, Text, TextInput } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { useState } from 'react';
import { fieldOf, isOther, isValue, pathOf, type Scalar } from '../../parts/conditions.js';
import { Icon } from '../../parts/icons.js';
import { numbered, whole } from '../../parts/numbers.js';
import { Suggested } from '../../parts/suggested.js';
import type { LogsSearch } from '../../routes/logs-search.js';
import { choiceOf } from './choices.js';
import type { Addition } from './tokens.js';
import { CLASS, type Counted, type useFacets } from './use-facets.js';

interface Props {
  readonly counted: ReturnType<typeof useFacets>;
  readonly search: LogsSearch;
  /** Paths of the properties whose values are counted. */
  readonly paths: readonly string[];
  readonly properties: readonly string[];
  readonly onPaths: (paths: readonly string[]) => void;
  readonly onAdd: (addition: Addition) => void;
  /** Called with the values of a field that are then chosen. */
  readonly onChoose: (field: string, values: readonly Scalar[]) => void;
}

const FIELDS = [
  { name: 'severity', label: 'Severity' },
  { name: 'event', label: 'Event' },
  { name: 'source_id', label: 'Event Source' },
  { name: 'status', label: 'Status' },
  { name: 'environment', label: 'Environment' },
] as const;
/** The service counts the values of at most this many properties. */
export const MAX_PATHS = 10;
const MAX_PATH_CHARACTERS = 200;
const MAX_SHOWN_VALUES = 8;

/**
 * Shows values with the number of events of each, in the whole range. A click chooses a value next to the others of its
 * field, or removes it.
 */
export function FacetList(props: Props) {
  const { counted, search, paths, properties, onPaths, onAdd, onChoose } = props;
  const [wanted, setWanted] = useState('');
  const shared = { wanted: wanted.trim().toLowerCase(), search, onAdd, onChoose };
  const byClass = counted.classes
    .filter(({ count }) => count > 0)
    .sort((one, other) => String(one.value).localeCompare(String(other.value)));
  return (
    <Card withBorder padding="sm" className="facets">
      <Stack gap="md">
        <TextInput
          size="xs"
          aria-label="Find a value"
          placeholder="Find a value"
          value={wanted}
          onChange={(event) => setWanted(event.currentTarget.value)}
        />
        <Facet label="HTTP status" field={CLASS} values={byClass} {...shared} />
        {FIELDS.map(({ name, label }) => (
          <Facet key={name} label={label} field={name} values={counted.valuesOf(name)} {...shared} />
        ))}
        {paths.map((path) => {
          const property = counted.propertyOf(path);
          return (
            <Facet
              key={path}
              label={path}
              field={fieldOf(path)}
              values={[
                ...(property?.values ?? []),
                ...(property === undefined || property.missing === 0 ? [] : [{ value: null, count: property.missing }]),
              ]}
              others={property?.others}
              onDrop={() => onPaths(paths.filter((each) => each !== path))}
              {...shared}
            />
          );
        })}
        <Suggested
          key={paths.length}
          size="xs"
          label="Add a facet"
          placeholder="properties.plan"
          data={properties.filter((path) => !paths.includes(path))}
          limit={50}
          maxLength={MAX_PATH_CHARACTERS}
          disabled={paths.length >= MAX_PATHS}
          {...(paths.length >= MAX_PATHS && { description: `At most ${MAX_PATHS}` })}
          value={undefined}
          onChange={(path) => {
            if (path !== undefined) onPaths([...new Set([...paths, pathOf(path)])]);
          }}
        />
      </Stack>
    </Card>
  );
}

interface FacetProps {
  readonly label: string;
  /** As EQL writes it. */
  readonly field: string;
  readonly values: readonly Counted[];
  readonly others?: Schemas['OtherValues'] | undefined;
  readonly wanted: string;
  readonly search: LogsSearch;
  readonly onAdd: Props['onAdd'];
  readonly onChoose: Props['onChoose'];
  readonly onDrop?: () => void;
}

/** The rows are plain elements, because a page has a hundred of them. */
function Facet({ label, field, values, others, wanted, search, onAdd, onChoose, onDrop }: FacetProps) {
  const chosen = choiceOf(search, field).values;
  const [isWhole, setIsWhole] = useState(false);
  const fitting = values.filter((each) => nameOf(each).toLowerCase().includes(wanted));
  const shown = isWhole ? fitting : fitting.slice(0, MAX_SHOWN_VALUES);
  return (
    <div role="group" aria-label={label}>
      <Group justify="space-between" wrap="nowrap" gap={4} mb={4}>
        <Text size="xs" c="dimmed" fw={600} style={{ overflowWrap: 'anywhere' }} dir="auto">
          {label}
        </Text>
        {onDrop !== undefined && (
          <ActionIcon size="sm" variant="subtle" color="gray" aria-label={`Remove the facet ${label}`} onClick={onDrop}>
            <Icon name="close" size={12} />
          </ActionIcon>
        )}
      </Group>
      {fitting.length === 0 && (
        <Text size="sm" c="dimmed">
          –
        </Text>
      )}
      {shown.map((counted) => {
        const { value, count } = counted;
        const isPressed = chosen.includes(value);
        const excluded = { clause: isOther(field, value) };
        const name = nameOf(counted);
        return (
          <div key={isValue(field, value)} className="facet-row">
            <button
              type="button"
              className="facet numbers"
              aria-pressed={isPressed}
              onClick={() => onChoose(field, isPressed ? chosen.filter((each) => each !== value) : [...chosen, value])}
            >
              <bdi title={name}>{name}</bdi>
              <span>{whole(count)}</span>
            </button>
            <button
              type="button"
              className="facet-exclude"
              aria-label={`Exclude ${name}`}
              title="Exclude"
              onClick={() => onAdd(excluded)}
            >
              <Icon name="minus" size={12} />
            </button>
          </div>
        );
      })}
      {fitting.length > MAX_SHOWN_VALUES && (
        <Button size="compact-xs" variant="subtle" onClick={() => setIsWhole(!isWhole)}>
          {isWhole ? 'Show fewer' : `Show all ${fitting.length}`}
        </Button>
      )}
      {others !== undefined && others.values > 0 && (
        <Text size="xs" c="dimmed" className="numbers">
          {numbered(others.values, 'more value')} in {numbered(others.events, 'event')}
        </Text>
      )}
    </div>
  );
}

function nameOf({ value, name }: Counted): string {
  if (value === null) return '(none)';
  return value === '' ? '(empty)' : (name ?? String(value));
}

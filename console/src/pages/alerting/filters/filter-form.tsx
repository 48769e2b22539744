import {
  ActionIcon,
  Autocomplete,
  Button,
  Group,
  JsonInput,
  SegmentedControl,
  Select,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { Icon } from '../../../parts/icons.js';
import { draftOf, type FilterDraft, type FilterLine, groupOf, Misspelt, type Op, OPS } from './filter.js';

interface Props {
  /** The name of the filter. */
  readonly label: string;
  /** Explains what an empty filter means. */
  readonly none: string;
  readonly fields: readonly string[];
  readonly value: FilterDraft;
  readonly onChange: (value: FilterDraft) => void;
}

const MODES = [
  { value: 'all', label: 'All match' },
  { value: 'any', label: 'Any matches' },
  { value: 'written', label: 'JSON' },
];

/** Edits comparisons in a list. A nested filter is edited as JSON. */
export function FilterForm({ label, none, fields, value, onChange }: Props) {
  return (
    <Stack gap="xs" role="group" aria-label={label}>
      <Group justify="space-between">
        <Text size="sm" fw={500}>
          {label}
        </Text>
        <SegmentedControl
          size="xs"
          aria-label={`How the comparisons of ${label.toLowerCase()} combine`}
          data={MODES}
          value={value.mode}
          onChange={(mode) => onChange(turned(value, mode as FilterDraft['mode']))}
        />
      </Group>
      {value.mode === 'written' ? (
        <JsonInput
          aria-label={`${label} as JSON`}
          description="all, any and not hold comparisons, and each other, eight levels deep"
          placeholder='{ "any": [{ "field": "event", "op": "eq", "value": "payment.failed" }] }'
          autosize
          minRows={5}
          maxRows={18}
          value={value.text}
          onChange={(text) => onChange({ mode: 'written', text })}
        />
      ) : (
        <Lines none={none} fields={fields} lines={value.lines} onChange={(lines) => onChange({ ...value, lines })} />
      )}
    </Stack>
  );
}

interface LinesProps {
  readonly none: string;
  readonly fields: readonly string[];
  readonly lines: readonly FilterLine[];
  readonly onChange: (lines: readonly FilterLine[]) => void;
}

function Lines({ none, fields, lines, onChange }: LinesProps) {
  const set = (index: number, change: Partial<FilterLine>) =>
    onChange(lines.map((line, at) => (at === index ? { ...line, ...change } : line)));
  return (
    <>
      {lines.length === 0 && (
        <Text size="sm" c="dimmed">
          {none}
        </Text>
      )}
      {lines.map((line, index) => (
        // Lines have no id. Their position distinguishes them.
        <Group key={index} gap="xs" align="flex-end" wrap="wrap" role="group" aria-label={`Comparison ${index + 1}`}>
          <Autocomplete
            aria-label="Field"
            placeholder="properties.amount"
            data={[...fields, 'properties.']}
            style={{ flex: '2 1 120px' }}
            value={line.field}
            onChange={(field) => set(index, { field })}
          />
          <Select
            aria-label="Comparison"
            data={OPS}
            allowDeselect={false}
            style={{ flex: '1 1 136px' }}
            value={line.op}
            onChange={(op) => set(index, { op: op as Op })}
          />
          {line.op === 'exists' ? (
            <Select
              aria-label="Value"
              data={[
                { value: 'true', label: 'yes' },
                { value: 'false', label: 'no' },
              ]}
              allowDeselect={false}
              style={{ flex: '2 1 104px' }}
              value={line.value === 'false' ? 'false' : 'true'}
              onChange={(value) => set(index, { value: value ?? 'true' })}
            />
          ) : (
            <TextInput
              aria-label="Value"
              placeholder={line.op === 'in' ? 'a, b, c' : undefined}
              style={{ flex: '2 1 104px' }}
              value={line.value}
              onChange={(event) => set(index, { value: event.currentTarget.value })}
            />
          )}
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={`Remove comparison ${index + 1}`}
            onClick={() => onChange(lines.filter((_, at) => at !== index))}
          >
            <Icon name="cross" size={16} />
          </ActionIcon>
        </Group>
      ))}
      <Button
        variant="default"
        size="xs"
        style={{ alignSelf: 'flex-start' }}
        leftSection={<Icon name="plus" size={14} />}
        onClick={() =>
          onChange([...lines, { field: lines.length === 0 ? (fields[0] ?? '') : '', op: 'eq', value: '' }])
        }
      >
        Add a comparison
      </Button>
    </>
  );
}

/** Changes the way of editing. Returns the draft unchanged when the other way cannot represent it. */
function turned(value: FilterDraft, mode: FilterDraft['mode']): FilterDraft {
  try {
    if (mode === 'written') return { mode, text: JSON.stringify(groupOf(value), null, 2) };
    if (value.mode !== 'written') return { ...value, mode };
    const read = draftOf(groupOf(value));
    return read.mode === 'written' ? read : { ...read, mode };
  } catch (error) {
    if (error instanceof Misspelt) return value;
    throw error;
  }
}

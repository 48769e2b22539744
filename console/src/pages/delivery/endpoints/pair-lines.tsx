import { ActionIcon, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { Icon } from '../../../parts/icons.js';

export interface Pair {
  readonly name: string;
  readonly value: string;
}

export function pairsOf(record: Readonly<Record<string, string>>): Pair[] {
  return Object.entries(record).map(([name, value]) => ({ name, value }));
}

/** Returns the pairs that have a name. */
export function recordOf(pairs: readonly Pair[]): Record<string, string> {
  return Object.fromEntries(
    pairs.filter(({ name }) => name.trim() !== '').map(({ name, value }) => [name.trim(), value]),
  );
}

interface Props {
  readonly label: string;
  readonly about: string;
  readonly pairs: readonly Pair[];
  readonly onChange: (pairs: readonly Pair[]) => void;
}

/** Edits names and values in a list. */
export function PairLines({ label, about, pairs, onChange }: Props) {
  const set = (at: number, change: Partial<Pair>) =>
    onChange(pairs.map((pair, index) => (index === at ? { ...pair, ...change } : pair)));
  return (
    <Stack gap={6} role="group" aria-label={label} align="flex-start">
      <Text size="sm" fw={500}>
        {label}
      </Text>
      <Text size="xs" c="dimmed">
        {about}
      </Text>
      {pairs.map((pair, index) => (
        // Pairs have no unique name while they are typed.
        <Group key={index} gap="xs" wrap="nowrap" w="100%">
          <TextInput
            aria-label={`Name ${index + 1}`}
            placeholder="X-Team"
            style={{ flex: 1, minWidth: 0 }}
            value={pair.name}
            onChange={(event) => set(index, { name: event.currentTarget.value })}
          />
          <TextInput
            aria-label={`Value ${index + 1}`}
            style={{ flex: 1, minWidth: 0 }}
            maxLength={300}
            value={pair.value}
            onChange={(event) => set(index, { value: event.currentTarget.value })}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={`Remove header ${index + 1}`}
            onClick={() => onChange(pairs.filter((_, at) => at !== index))}
          >
            <Icon name="cross" size={16} />
          </ActionIcon>
        </Group>
      ))}
      <Button
        size="xs"
        variant="default"
        leftSection={<Icon name="plus" size={14} />}
        onClick={() => onChange([...pairs, { name: '', value: '' }])}
      >
        Add a header
      </Button>
    </Stack>
  );
}

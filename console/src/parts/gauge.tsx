import { Group, Progress, Stack, Text } from '@mantine/core';

interface Props {
  readonly label: string;
  readonly used: number;
  /** Null: there is no limit. */
  readonly limit: number | null;
  /** Formats a value for people. */
  readonly write: (value: number) => string;
  readonly isNearLimit?: boolean;
}

/** Shows how much of an allowance is used. */
export function Gauge({ label, used, limit, write, isNearLimit = false }: Props) {
  const share = limit === null || limit === 0 ? 0 : Math.min(100, (used / limit) * 100);
  return (
    <Stack gap={4}>
      <Group justify="space-between">
        <Text size="sm" fw={500}>
          {label}
        </Text>
        <Text size="sm" c="dimmed" className="numbers">
          {limit === null ? `${write(used)}, without a limit` : `${write(used)} of ${write(limit)}`}
        </Text>
      </Group>
      {limit !== null && (
        <Progress value={share} color={share >= 100 ? 'red' : isNearLimit ? 'orange' : 'sea'} aria-label={label} />
      )}
    </Stack>
  );
}

import { Select } from '@mantine/core';

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** Returns a duration in the largest unit that divides it: 5400 is "90 minutes". */
export function durationOf(seconds: number): string {
  const [unit, size] = UNITS.find(([, each]) => seconds >= each && seconds % each === 0) ?? ['second', 1];
  const count = seconds / size;
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

interface Props {
  readonly label: string;
  readonly description?: string;
  /** The durations that can be chosen, in seconds. */
  readonly choices: readonly number[];
  /** The label of 0. */
  readonly none?: string;
  readonly value: number;
  readonly onChange: (seconds: number) => void;
}

export function DurationSelect({ label, description, choices, none, value, onChange }: Props) {
  const all = [...new Set([...choices, value])].sort((a, b) => a - b);
  return (
    <Select
      label={label}
      description={description}
      data={all.map((each) => ({ value: String(each), label: each === 0 && none ? none : durationOf(each) }))}
      allowDeselect={false}
      value={String(value)}
      onChange={(chosen) => onChange(Number(chosen))}
    />
  );
}

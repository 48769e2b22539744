import { Switch, Tooltip } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { sentenceOf } from './failures.js';

interface Props {
  /** Names the switched thing for screen readers. */
  readonly label: string;
  readonly isOn: boolean;
  readonly refusal: string | undefined;
  /** Switches and refetches what has changed. */
  readonly act: (isOn: boolean) => Promise<unknown>;
}

/**
 * A switch that acts at once. It shows the new state until the service has answered, and reverts when the service
 * refuses.
 */
export function Switched({ label, isOn, refusal, act }: Props) {
  const switching = useMutation({ mutationFn: act });
  const told = switching.error === null ? refusal : sentenceOf(switching.error);
  return (
    <Tooltip label={told} disabled={told === undefined} events={{ hover: true, focus: true, touch: true }}>
      <Switch
        aria-label={label}
        checked={switching.isPending ? switching.variables : isOn}
        readOnly={refusal !== undefined}
        aria-readonly={refusal !== undefined}
        {...(switching.error !== null && { error: told })}
        onChange={(event) => {
          if (refusal === undefined) switching.mutate(event.currentTarget.checked);
        }}
      />
    </Tooltip>
  );
}

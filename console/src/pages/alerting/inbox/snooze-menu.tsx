import { Menu, type MenuProps } from '@mantine/core';
import { ActMenu } from '../../../parts/act-menu.js';

const SNOOZES = [
  { label: 'For an hour', seconds: 3_600 },
  { label: 'For 4 hours', seconds: 14_400 },
  { label: 'For a day', seconds: 86_400 },
  { label: 'For a week', seconds: 604_800 },
] as const;

interface Props extends Pick<MenuProps, 'opened' | 'onChange'> {
  readonly label: string;
  /** Why the caller may not snooze; undefined when they may. */
  readonly refusal: string | undefined;
  readonly isActing?: boolean;
  /** @param until a time in ISO 8601 */
  readonly onSnooze: (until: string) => void;
}

/** Offers the times for which an alert may be snoozed. */
export function SnoozeMenu({ isActing = false, onSnooze, ...menu }: Props) {
  return (
    <ActMenu {...menu} size="xs" variant="default" loading={isActing}>
      {SNOOZES.map(({ label, seconds }) => (
        <Menu.Item key={seconds} onClick={() => onSnooze(new Date(Date.now() + seconds * 1000).toISOString())}>
          {label}
        </Menu.Item>
      ))}
    </ActMenu>
  );
}

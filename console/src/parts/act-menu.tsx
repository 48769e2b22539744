import { Button, type ButtonProps, Menu, type MenuProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { Act } from './act.js';

interface Props extends ButtonProps, Pick<MenuProps, 'opened' | 'onChange' | 'position'> {
  readonly label: string;
  /** Why the caller may not perform the actions; undefined when they may. */
  readonly refusal: string | undefined;
  /** The items of the menu. */
  readonly children: ReactNode;
}

/** A button with a menu of actions that not every role may perform. */
export function ActMenu({ label, refusal, opened, onChange, position = 'bottom-start', children, ...button }: Props) {
  if (refusal !== undefined) {
    return (
      <Act {...button} refusal={refusal} onAct={() => undefined}>
        {label}
      </Act>
    );
  }
  return (
    <Menu position={position} {...(opened !== undefined && { opened })} {...(onChange !== undefined && { onChange })}>
      <Menu.Target>
        <Button {...button}>{label}</Button>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}

import {
  Anchor,
  type AnchorProps,
  Button,
  type ButtonProps,
  Menu,
  type MenuItemProps,
  NavLink,
  type NavLinkProps,
} from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { ComponentPropsWithRef } from 'react';

type Plain<Props> = Props & Omit<ComponentPropsWithRef<'a'>, keyof Props>;

/** Components of the library that lead to a page of this one, with its addresses checked by the compiler. */
export const LinkAnchor = createLink((props: Plain<AnchorProps>) => <Anchor {...props} />);
export const LinkButton = createLink((props: Plain<ButtonProps>) => <Button component="a" {...props} />);
export const LinkItem = createLink((props: Plain<MenuItemProps>) => <Menu.Item component="a" {...props} />);
export const LinkNav = createLink((props: Plain<NavLinkProps>) => <NavLink component="a" {...props} />);

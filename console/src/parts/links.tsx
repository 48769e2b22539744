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

/** Components of the library as links to pages of the console. The compiler checks the addresses. */
export const LinkAnchor = createLink((props: Plain<AnchorProps>) => <Anchor {...props} />);
export const LinkButton = createLink((props: Plain<ButtonProps>) => <Button component="a" {...props} />);
export const LinkItem = createLink((props: Plain<MenuItemProps>) => <Menu.Item component="a" {...props} />);
export const LinkTab = createLink((props: ComponentPropsWithRef<'a'>) => <a {...props} />);
export const LinkNav = createLink((props: Plain<NavLinkProps>) => <NavLink component="a" {...props} />);

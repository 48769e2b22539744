import { Button, Divider, Group, PasswordInput, Text, TextInput } from '@mantine/core';
import type { ReactNode, SubmitEvent } from 'react';
import { Icon } from '../../parts/icons.js';
import { Card } from './card.js';

interface Props {
  readonly username?: { readonly value: string; readonly onChange: (value: string) => void };
  readonly password?: { readonly value: string; readonly onChange: (value: string) => void };
  readonly onSubmit?: (event: SubmitEvent) => void;
  /** Undefined when the browser does not support passkeys. */
  readonly passkey?: { readonly isPending: boolean; readonly onUse: () => void } | undefined;
  readonly isPending?: boolean;
  /** Whether the person has just confirmed the address, which is filled in. */
  readonly isKnown?: boolean;
  readonly failure?: ReactNode;
  /** Why a sign-in by a company was refused. */
  readonly refusal?: ReactNode;
  readonly providers?: ReactNode;
  /** The ways to sign in by a company. */
  readonly company?: ReactNode;
  readonly links: { readonly forgotten: ReactNode; readonly register: ReactNode };
}

/** The form of the sign-in page. The build renders it into the page, and the script renders the same form. */
export function LoginForm({
  username,
  password,
  onSubmit,
  passkey,
  isPending,
  isKnown = false,
  failure,
  refusal,
  providers,
  company,
  links,
}: Props) {
  return (
    <Card title="Sign in" lead={isKnown ? 'Your address is confirmed. Sign in to go on.' : undefined}>
      {refusal}
      <form onSubmit={onSubmit}>
        <TextInput
          label="E-mail address"
          type="email"
          name="username"
          autoComplete="username webauthn"
          required
          autoFocus={!isKnown}
          value={username?.value}
          onChange={(event) => username?.onChange(event.currentTarget.value)}
        />
        <PasswordInput
          mt="sm"
          label="Password"
          name="password"
          autoComplete="current-password"
          required
          autoFocus={isKnown}
          value={password?.value}
          onChange={(event) => password?.onChange(event.currentTarget.value)}
        />
        <Group justify="flex-end" mt={6} mb="md">
          {links.forgotten}
        </Group>
        {failure}
        <Button type="submit" fullWidth mt="sm" loading={isPending}>
          Sign in
        </Button>
      </form>
      {passkey !== undefined && (
        <>
          <Divider label="or" />
          <Button
            variant="default"
            name="passkey"
            leftSection={<Icon name="key" size={16} />}
            loading={passkey.isPending}
            onClick={passkey.onUse}
          >
            Sign in with a passkey
          </Button>
        </>
      )}
      {providers}
      {company}
      <Text size="sm" ta="center">
        No account yet? {links.register}
      </Text>
    </Card>
  );
}

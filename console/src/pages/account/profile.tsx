import { Alert, Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/client.js';
import { me } from '../../api/queries.js';
import { signOut } from '../../api/session.js';
import { ActForm } from '../../parts/act-form.js';
import { Confirmation, Dialog } from '../../parts/dialog.js';
import { PageHead } from '../../parts/page-head.js';
import { Section } from '../../parts/section.js';
import { useStepUp } from '../../parts/step-up.js';

export function ProfilePage() {
  const { data: person } = useSuspenseQuery(me);
  return (
    <Stack gap="lg" maw={760}>
      <PageHead
        title="Profile"
        guide="accounts#passwords-addresses-and-sessions"
        about="Your name, and how you sign in."
      />
      <NameSection person={person} />
      <AddressSection person={person} />
      <PasswordSection person={person} />
      <DeletionSection person={person} />
    </Stack>
  );
}

interface Props {
  readonly person: Schemas['MeResponse'];
}

function NameSection({ person }: Props) {
  const queries = useQueryClient();
  const [name, setName] = useState(person.name ?? '');
  const save = async () => {
    await api.updateAccount({ body: { name: name.trim() === '' ? null : name.trim() } });
    await queries.invalidateQueries({ queryKey: me.queryKey });
  };
  return (
    <Section title="Name" about="Members of your organizations see it.">
      <ActForm verb="Save the name" isDisabled={name.trim() === (person.name ?? '')} act={save}>
        <TextInput
          label="Name"
          autoComplete="name"
          maxLength={200}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
      </ActForm>
    </Section>
  );
}

function AddressSection({ person }: Props) {
  const prove = useStepUp();
  const [email, setEmail] = useState('');
  const [sentTo, setSentTo] = useState<string | null>(null);
  const ask = async () => {
    await prove((header) => api.requestEmailChange({ body: { email: email.trim() }, header }));
    setSentTo(email.trim());
    setEmail('');
  };
  return (
    <Section title="E-mail address" about={`You sign in as ${person.email}.`}>
      {sentTo !== null && (
        <Alert variant="light" title="Check your mail" role="status">
          If {sentTo} is free, a link to confirm it was mailed there. Until then the present address holds.
        </Alert>
      )}
      <ActForm verb="Mail the link" act={ask}>
        <TextInput
          label="New address"
          type="email"
          autoComplete="email"
          required
          withAsterisk={false}
          maxLength={254}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
      </ActForm>
    </Section>
  );
}

function PasswordSection({ person }: Props) {
  const prove = useStepUp();
  const queries = useQueryClient();
  const [password, setPassword] = useState('');
  const [isDone, setIsDone] = useState(false);
  const change = async () => {
    setIsDone(false);
    await prove((header) => api.changePassword({ body: { password }, header }));
    setPassword('');
    setIsDone(true);
    await queries.invalidateQueries({ queryKey: ['account'] });
  };
  return (
    <Section title="Password" about="All other sessions end when it changes.">
      {isDone && (
        <Alert variant="light" title="The password is changed" role="status">
          Every other session has ended.
        </Alert>
      )}
      <ActForm verb="Change the password" act={change}>
        {/* For programs that keep passwords: whose it is. */}
        <input type="hidden" name="username" autoComplete="username" value={person.email} />
        <PasswordInput
          label="New password"
          description="At least 8 characters, not a common one"
          autoComplete="new-password"
          required
          withAsterisk={false}
          minLength={8}
          maxLength={128}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
      </ActForm>
    </Section>
  );
}

function DeletionSection({ person }: Props) {
  const prove = useStepUp();
  const navigate = useNavigate();
  const [isAsking, setIsAsking] = useState(false);
  const remove = async () => {
    await prove((header) => api.deleteAccount({ body: {}, header }));
    await signOut();
    await navigate({ to: '/login' });
  };
  return (
    <Section
      title="Delete the account"
      about="Your personal data is deleted. Records of what you did keep an id without a name. The owner of an organization cannot delete the account."
      acts={
        <Button variant="light" color="red" onClick={() => setIsAsking(true)}>
          Delete the account
        </Button>
      }
    >
      <Dialog title="Delete the account" isOpen={isAsking} onClose={() => setIsAsking(false)}>
        <Confirmation verb="Delete for good" isDangerous act={remove} onClose={() => setIsAsking(false)}>
          The account <b>{person.email}</b> ends at once, in every browser. Projects it made go to the owner of their
          organization. This cannot be taken back.
        </Confirmation>
      </Dialog>
    </Section>
  );
}

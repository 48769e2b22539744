import { Checkbox, Collapse, SegmentedControl, Stack, Text, Textarea, TextInput, UnstyledButton } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { SsoConnection, SsoProtocol } from '../../../api/company-sign-in.js';
import { ActForm } from '../../../parts/act-form.js';
import { useCompanySignIn } from './use-company-sign-in.js';

interface Props {
  /** Null: a new connection is created. */
  readonly connection: SsoConnection | null;
  readonly onSaved: (connection: SsoConnection) => void;
}

/** The typed texts. An empty optional one means the default. */
interface Draft {
  readonly label: string;
  readonly issuer: string;
  readonly client_id: string;
  readonly client_secret: string;
  readonly scopes: string;
  readonly groups_claim: string;
  readonly trusts_email: boolean;
  readonly metadata_xml: string;
  readonly entity_id: string;
  readonly sign_in_url: string;
  readonly certificates: string;
  readonly email_attribute: string;
  readonly groups_attribute: string;
  readonly allows_idp_initiated: boolean;
}

type TextName = { [Name in keyof Draft]: Draft[Name] extends string ? Name : never }[keyof Draft];

function draftOf(connection: SsoConnection | null): Draft {
  return {
    label: connection?.label ?? '',
    issuer: connection?.issuer ?? '',
    client_id: connection?.client_id ?? '',
    client_secret: '',
    scopes: connection?.scopes ?? '',
    groups_claim: connection?.groups_claim ?? '',
    trusts_email: connection?.trusts_email ?? false,
    metadata_xml: '',
    entity_id: connection?.entity_id ?? '',
    sign_in_url: connection?.sign_in_url ?? '',
    certificates: connection?.certificates.map(({ pem }) => pem.trim()).join('\n') ?? '',
    email_attribute: connection?.email_attribute ?? '',
    groups_attribute: connection?.groups_attribute ?? '',
    allows_idp_initiated: connection?.allows_idp_initiated ?? false,
  };
}

const textOrNull = (text: string): string | null => (text.trim() === '' ? null : text.trim());

function bodyOf(protocol: SsoProtocol, draft: Draft, readsMetadata: boolean): object {
  const label = draft.label.trim();
  if (protocol === 'oidc')
    return {
      label,
      issuer: draft.issuer.trim(),
      client_id: draft.client_id.trim(),
      ...(draft.client_secret !== '' && { client_secret: draft.client_secret }),
      scopes: textOrNull(draft.scopes),
      groups_claim: textOrNull(draft.groups_claim),
      trusts_email: draft.trusts_email,
    };
  const provider = readsMetadata
    ? { metadata_xml: draft.metadata_xml }
    : {
        entity_id: draft.entity_id.trim(),
        sign_in_url: draft.sign_in_url.trim(),
        certificates: certificatesIn(draft.certificates),
      };
  return {
    label,
    ...provider,
    email_attribute: textOrNull(draft.email_attribute),
    groups_attribute: textOrNull(draft.groups_attribute),
    allows_idp_initiated: draft.allows_idp_initiated,
  };
}

/** Returns the certificates of a text that contains several. Text that is no PEM is sent as it is, and refused. */
function certificatesIn(text: string): string[] {
  return text.match(/-----BEGIN [^-]+-----[\s\S]+?-----END [^-]+-----/g) ?? [text.trim()];
}

const RELINK = 'people link their accounts again at their next sign-in';

/** Creates or edits a connection. */
export function ConnectionForm({ connection, onSaved }: Props) {
  const { createConnection, changeConnection, readAnew } = useCompanySignIn();
  const [protocol, setProtocol] = useState<SsoProtocol>(connection?.protocol ?? 'oidc');
  const [draft, setDraft] = useState(() => draftOf(connection));
  const isNew = connection === null;
  const [readsMetadata, setReadsMetadata] = useState(isNew);
  const set = (change: Partial<Draft>) => setDraft((before) => ({ ...before, ...change }));
  const save = async () => {
    const body = bodyOf(protocol, draft, readsMetadata);
    const saved =
      connection === null ? await createConnection({ protocol, ...body }) : await changeConnection(connection.id, body);
    set({ client_secret: '' });
    await readAnew();
    onSaved(saved);
  };
  const field = (name: TextName) => ({
    value: draft[name],
    autoComplete: 'off',
    spellCheck: false,
    onChange: ({ currentTarget: { value } }: { readonly currentTarget: { readonly value: string } }) =>
      set({ [name]: value }),
  });
  return (
    <ActForm verb={isNew ? 'Add the provider' : 'Save'} act={save}>
      {isNew && (
        <SegmentedControl
          aria-label="Protocol"
          fullWidth
          data={[
            { value: 'oidc', label: 'OpenID Connect' },
            { value: 'saml', label: 'SAML' },
          ]}
          value={protocol}
          onChange={setProtocol}
        />
      )}
      <TextInput
        label="Name"
        description="On the sign-in page"
        placeholder="Acme login"
        required
        withAsterisk={false}
        data-autofocus
        maxLength={200}
        {...field('label')}
      />
      {protocol === 'oidc' ? (
        <>
          <TextInput
            label="Issuer"
            description={`The address of the provider, exactly as it names itself${isNew ? '' : `. With another issuer, ${RELINK}`}`}
            placeholder="https://login.example.com"
            type="url"
            required
            withAsterisk={false}
            maxLength={1024}
            {...field('issuer')}
          />
          <TextInput label="Client ID" required withAsterisk={false} maxLength={512} {...field('client_id')} />
          <TextInput
            label="Client secret"
            description={
              connection?.has_client_secret === true ? 'Leave it empty to keep the present one' : 'Never shown again'
            }
            type="password"
            maxLength={2048}
            {...field('client_secret')}
            autoComplete="new-password"
          />
          <More>
            <TextInput label="Scopes" placeholder="openid email profile" maxLength={500} {...field('scopes')} />
            <TextInput label="Claim with the groups" placeholder="groups" maxLength={256} {...field('groups_claim')} />
            <Checkbox
              label="Addresses count as verified"
              description="For providers that do not send email_verified, such as Microsoft Entra ID"
              checked={draft.trusts_email}
              onChange={(event) => set({ trusts_email: event.currentTarget.checked })}
            />
          </More>
        </>
      ) : (
        <>
          <SegmentedControl
            aria-label="Settings of the provider"
            data={[
              { value: 'metadata', label: 'Paste its metadata' },
              { value: 'fields', label: 'Enter its settings' },
            ]}
            value={readsMetadata ? 'metadata' : 'fields'}
            onChange={(value) => setReadsMetadata(value === 'metadata')}
          />
          {readsMetadata ? (
            <Textarea
              label="Metadata"
              description={`The XML that the provider offers for download${isNew ? '' : `. When it has another entity ID, ${RELINK}`}`}
              required
              withAsterisk={false}
              autosize
              minRows={4}
              maxRows={10}
              maxLength={262144}
              {...field('metadata_xml')}
            />
          ) : (
            <>
              <TextInput
                label="Entity ID of the provider"
                description={isNew ? undefined : `With another entity ID, ${RELINK}`}
                required
                withAsterisk={false}
                maxLength={1024}
                {...field('entity_id')}
              />
              <TextInput
                label="Sign-in URL"
                type="url"
                required
                withAsterisk={false}
                maxLength={2048}
                {...field('sign_in_url')}
              />
              <Textarea
                label="Certificates"
                description="In PEM, up to 5. Two while the provider changes its key"
                required
                withAsterisk={false}
                autosize
                minRows={4}
                maxRows={10}
                styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
                {...field('certificates')}
              />
            </>
          )}
          <More>
            <TextInput
              label="Attribute with the address"
              placeholder="Its usual names"
              maxLength={256}
              {...field('email_attribute')}
            />
            <TextInput
              label="Attribute with the groups"
              placeholder="Its usual names"
              maxLength={256}
              {...field('groups_attribute')}
            />
            <Checkbox
              label="People may begin at the provider"
              description="Weaker: such a sign-in belongs to no browser that asked for it. Use the address for portals instead"
              checked={draft.allows_idp_initiated}
              onChange={(event) => set({ allows_idp_initiated: event.currentTarget.checked })}
            />
          </More>
        </>
      )}
    </ActForm>
  );
}

/** Settings that most providers do not need. */
function More({ children }: { readonly children: ReactNode }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <UnstyledButton aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        <Text size="sm" td="underline">
          {isOpen ? 'Fewer settings' : 'More settings'}
        </Text>
      </UnstyledButton>
      <Collapse expanded={isOpen}>
        <Stack>{children}</Stack>
      </Collapse>
    </>
  );
}

import { Code, Stack, Tabs, Text } from '@mantine/core';
import { Copied } from '../../../parts/copied.js';
import go from '../../../../../docs/receivers/verify.go?raw';
import java from '../../../../../docs/receivers/Verify.java?raw';
import python from '../../../../../docs/receivers/verify.py?raw';
import typescript from '../../../../../docs/receivers/verify.ts?raw';
import type { Signed } from './verification.js';

/** The files that the guide offers, and the name of the function for each kind of endpoint. */
const LANGUAGES = [
  { name: 'TypeScript', text: typescript, call: { destination: 'isGenuine', channel: 'isGenuineOfChannel' } },
  { name: 'Python', text: python, call: { destination: 'is_genuine', channel: 'is_genuine_of_channel' } },
  { name: 'Go', text: go, call: { destination: 'IsGenuine', channel: 'IsGenuineOfChannel' } },
  { name: 'Java', text: java, call: { destination: 'isGenuine', channel: 'isGenuineOfChannel' } },
] as const;

const ABOUT: Readonly<Record<Signed, string>> = {
  destination:
    'X-Service-Signature is the HMAC-SHA256 of the time and the body, with the secret that was typed. Verify the raw bytes of the body, before it is parsed. It does not cover X-Service-Delivery-Id: to process each id once, verify webhook-signature instead, which covers webhook-id, the same id.',
  channel:
    'Requests are signed as Standard Webhooks says: webhook-signature covers webhook-id, webhook-timestamp and the body. Verify the raw bytes of the body with the signing secret (whsec_…), before the body is parsed. Process each webhook-id once.',
};

export default function VerificationCode({ of }: { readonly of: Signed }) {
  return (
    <Stack>
      <Text size="sm">{ABOUT[of]}</Text>
      <Tabs defaultValue={LANGUAGES[0].name} keepMounted={false}>
        <Tabs.List>
          {LANGUAGES.map(({ name }) => (
            <Tabs.Tab key={name} value={name}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {LANGUAGES.map(({ name, text, call }) => (
          <Tabs.Panel key={name} value={name} pt="md">
            <Text size="sm" mb="xs">
              Call <Code>{call[of]}</Code> with the body, the headers and the secret. Refuse the request when the result
              is false.
            </Text>
            <Copied name={`the code in ${name}`} text={text} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Stack>
  );
}

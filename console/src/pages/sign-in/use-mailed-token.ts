import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';

/**
 * Keeps what a mailed link carries and takes it out of the address at once, where it would stay in the history and in what
 * people copy.
 */
export function useMailedToken<Search extends { readonly token?: string | undefined }>(search: Search): Search {
  const router = useRouter();
  const [kept] = useState(search);
  useEffect(() => {
    if (kept.token !== undefined) void router.navigate({ to: '.', search: {}, replace: true });
  }, [kept, router]);
  return kept;
}

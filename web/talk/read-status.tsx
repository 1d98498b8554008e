/** Says whether a request was read to its end, and what that allows: also to readers who do not see the button change. */
export function ReadStatus({ isRead, does }: { readonly isRead: boolean; readonly does: string }) {
  return (
    <p class="request-status small" role="status">
      {isRead ? (
        <span class="faint">You have reached the end.</span>
      ) : (
        <strong class="tone-waits">Read to the end to {does}.</strong>
      )}
    </p>
  );
}

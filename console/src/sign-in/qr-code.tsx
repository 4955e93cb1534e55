import encodeQR from 'qr';

/** The quiet space around it that scanners need, in modules. */
const BORDER = 4;
const SIZE = 200;

/** Black on white in dark colors too, because scanners expect that. */
export function QrCode({ content, label }: { readonly content: string; readonly label: string }) {
  const rows = encodeQR(content, 'raw', { border: BORDER });
  const squares = rows.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])));
  return (
    <svg
      role="img"
      aria-label={label}
      width={SIZE}
      height={SIZE}
      viewBox={`0 0 ${rows.length} ${rows.length}`}
      shapeRendering="crispEdges"
    >
      <rect width={rows.length} height={rows.length} fill="#fff" />
      <path d={squares.join('')} fill="#000" />
    </svg>
  );
}

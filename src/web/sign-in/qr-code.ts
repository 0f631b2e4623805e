import qrcode from 'qrcode-generator';
import { type Html, html } from '../../base/core/text/html.ts';

/** Empty modules around the code, as ISO/IEC 18004 requires. */
const MARGIN = 4;

/** Returns a QR code as a picture in the page, for phones. It is black on white in dark pages, too. */
export function qrCodeHtml(text: string): Html {
  // The first version that is large enough, with the usual error correction.
  const code = qrcode(0, 'M');
  code.addData(text);
  code.make();
  const size = code.getModuleCount();
  const rows = Array.from({ length: size }, (_, row) => row);
  const path = rows
    .flatMap((row) =>
      rows.filter((column) => code.isDark(row, column)).map((column) => `M${column} ${row}h1v1h-1z`),
    )
    .join('');
  const whole = `${-MARGIN} ${-MARGIN} ${size + 2 * MARGIN} ${size + 2 * MARGIN}`;
  return html`<svg viewBox="${whole}" width="240" height="240" role="img" aria-label="QR code" shape-rendering="crispEdges">
<rect x="${-MARGIN}" y="${-MARGIN}" width="100%" height="100%" fill="#fff"/><path d="${path}"/></svg>`;
}

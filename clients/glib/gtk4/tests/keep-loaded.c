/* SPDX-License-Identifier: Apache-2.0
 *
 * keep-loaded   A library to preload: libraries stay loaded, so that the address sanitizer can name what has leaked memory.
 */

int dlclose (void *handle);

int
dlclose (void *handle)
{
  return 0;
}

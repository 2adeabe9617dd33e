/* SPDX-License-Identifier: Apache-2.0 */
#include "flowbus-node-private.h"

#define GETTER(type, function, value) FLOWBUS_GETTER (FlowbusNode, FLOWBUS_IS_NODE, type, function, value)

/**
 * flowbus_node_get_path: (get-property path)
 * @self: a node
 *
 * Gets the path in the tree, such as "/org/flowbus/Navigation1/tree/shop/detail".
 *
 * Returns: (transfer none): the path in the tree, such as "/org/flowbus/Navigation1/tree/shop/detail"
 */
GETTER (const char *, flowbus_node_get_path, self->path)

/**
 * flowbus_node_get_instance: (get-property instance)
 * @self: a node
 *
 * Gets the number that no other flow or screen ever has.
 *
 * Returns: the number that no other flow or screen ever has
 */
GETTER (guint64, flowbus_node_get_instance, self->instance)

/**
 * flowbus_node_get_name: (get-property name)
 * @self: a node
 *
 * Gets the name of the screen, or of the flow's definition.
 *
 * Returns: (transfer none): the name of the screen, or of the flow's definition
 */
GETTER (const char *, flowbus_node_get_name, self->name)

/**
 * flowbus_node_get_parent_path: (get-property parent-path)
 * @self: a node
 *
 * Gets the path of the flow above it.
 *
 * Returns: (transfer none): the path of the flow above it; "/" for a root
 */
GETTER (const char *, flowbus_node_get_parent_path, self->parent_path)

/**
 * flowbus_node_get_depth: (get-property depth)
 * @self: a node
 *
 * Gets how many flows of the list are above it.
 *
 * Returns: how many flows of the list are above it
 */
GETTER (guint, flowbus_node_get_depth, self->depth)

/**
 * flowbus_node_is_flow: (get-property is-flow)
 * @self: a node
 *
 * Tells whether it is a flow.
 *
 * Returns: whether it is a flow
 */
GETTER (gboolean, flowbus_node_is_flow, self->is_flow)

/**
 * flowbus_node_get_style: (get-property style)
 * @self: a node
 *
 * Gets the word that says how to show it.
 *
 * Returns: (transfer none): the word that says how to show it; empty if there is none
 */
GETTER (const char *, flowbus_node_get_style, self->style)

/**
 * flowbus_node_get_arguments: (get-property arguments)
 * @self: a node
 *
 * Gets its arguments, without private ones, of the type `a{sv}`.
 *
 * Returns: (transfer none): its arguments, without private ones, of the type `a{sv}`
 */
GETTER (GVariant *, flowbus_node_get_arguments, self->arguments)

/**
 * flowbus_node_get_owner: (get-property owner)
 * @self: a node
 *
 * Gets the unique bus name of the program that shows it.
 *
 * Returns: (transfer none): the unique bus name of the program that shows it; empty if there is none
 */
GETTER (const char *, flowbus_node_get_owner, self->owner)

/**
 * flowbus_node_get_title: (get-property title)
 * @self: a node
 *
 * Gets the title of a screen.
 *
 * Returns: (transfer none): the title of a screen; empty if there is none
 */
GETTER (const char *, flowbus_node_get_title, self->title)

/**
 * flowbus_node_get_waiting: (get-property waiting)
 * @self: a node
 *
 * Gets why it can't be shown yet.
 *
 * Returns: (transfer none): why it can't be shown yet; empty if it does not wait
 */
GETTER (const char *, flowbus_node_get_waiting, self->waiting)

/**
 * flowbus_node_get_output: (get-property output)
 * @self: a node
 *
 * Gets the output that a root stands on.
 *
 * Returns: (transfer none) (nullable): the output that a root stands on; %NULL for a screen, empty if there is none
 */
GETTER (const char *, flowbus_node_get_output, self->output)

/**
 * flowbus_node_get_current: (get-property current)
 * @self: a node
 *
 * Gets the path of the child of a flow that covers the others.
 *
 * Returns: (transfer none) (nullable): the path of the child of a flow that covers the others; %NULL for a screen, "/" if there is none
 */
GETTER (const char *, flowbus_node_get_current, self->current)

/**
 * flowbus_node_get_visible: (get-property visible)
 * @self: a node
 *
 * Tells whether it is shown.
 *
 * Returns: whether it is shown
 */
GETTER (gboolean, flowbus_node_get_visible, self->visible)

/**
 * flowbus_node_get_presented: (get-property presented)
 * @self: a node
 *
 * Tells whether it is visible, nothing covers it, and its parent is presented.
 *
 * Returns: whether it is visible, nothing covers it, and its parent is presented
 */
GETTER (gboolean, flowbus_node_get_presented, self->presented)

/**
 * flowbus_node_get_in_sight: (get-property in-sight)
 * @self: a node
 *
 * Tells whether nothing covers it, and its parent is presented.
 *
 * Returns: whether nothing covers it, and its parent is presented
 */
GETTER (gboolean, flowbus_node_get_in_sight, self->in_sight)

/**
 * flowbus_node_get_ready: (get-property ready)
 * @self: a node
 *
 * Tells whether the initial step of a flow is done.
 *
 * Returns: whether the initial step of a flow is done
 */
GETTER (gboolean, flowbus_node_get_ready, self->ready)

/**
 * flowbus_node_is_live: (get-property live)
 * @self: a node
 *
 * Tells whether it is still in the tree.
 *
 * Returns: whether it is still in the tree
 */
GETTER (gboolean, flowbus_node_is_live, self->is_live)

/**
 * flowbus_node_get_children:
 * @self: a node
 *
 * Its children as a list, for instance for a GtkTreeListModel. A screen has none.
 *
 * Returns: (transfer none): the children, in the order of the tree
 */
GETTER (GListModel *, flowbus_node_get_children, G_LIST_MODEL (self->children))
